// One 64-bit hash for definitions, strings and step signatures. Speed matters (one per launch), secrecy does
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace maya {

inline uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xc2b2ae3d27d4eb4fu);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_bytes(const void* data, size_t bytes, uint64_t seed = 0) {
  const char* at = static_cast<const char*>(data);
  uint64_t state = mix(seed, bytes + 1);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    state = mix(state, word);
  }
  if (bytes) {
    uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    state = mix(state, word + 0x100);
  }
  return state;
}

}  // namespace maya
