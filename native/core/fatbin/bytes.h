// Bounds-checked reading of untrusted little-endian bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace maya::fatbin {

// Decoders copy in strides of 16 bytes: a buffer given to them has this much room behind its end.
constexpr size_t kCopySlack = 32;

template <typename T>
T load(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// For failures: `return fail(error, "why");`
inline bool fail(std::string* error, const char* why) {
  if (error) *error = why;
  return false;
}

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;

  bool contains(uint64_t offset, uint64_t length) const { return offset <= size && length <= size - offset; }

  // Empty where the range is not inside.
  Bytes sub(uint64_t offset, uint64_t length) const {
    if (!contains(offset, length)) return {};
    return {data + offset, static_cast<size_t>(length)};
  }

  Bytes from(size_t offset) const { return sub(offset, offset <= size ? size - offset : 0); }

  template <typename T>
  bool read(uint64_t offset, T* value) const {
    if (!contains(offset, sizeof(T))) return false;
    *value = load<T>(data + offset);
    return true;
  }

  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
};

}  // namespace maya::fatbin
