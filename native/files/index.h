// What the layer knows of paths, in memory that all processes of a run share: a set of marks that only grows.
// A path without marks, below directories without marks, is the user's own and costs no system call.
#pragma once

#include <cstdint>

#include "text.h"

namespace maya::files {

enum Mark : uint64_t {
  kEntry = 1,    // the tree may hold this path, or entries of this directory
  kSubtree = 2,  // the tree may hold anything below this path
  kGone = 4,     // what the user has at this path, and below it, is hidden; for ever, as it cannot come back
};

// Read by src/maya/emulator/held_files.py: the first 5 words of <root>/index.
struct Totals {
  uint64_t marks;          // 0: the layer is empty
  uint64_t links;          // counts changes that make a known directory something else
  uint64_t files;          // made in the layer
  uint64_t removed_bytes;  // of files of the layer that are gone again
  uint64_t hidden;         // files of the user that the program has removed or renamed
  uint64_t shared;         // copies of files that the user has under several names
};

bool index_open(const Text& root);
Totals& totals();
inline void count(uint64_t& total, uint64_t more) {
  __atomic_fetch_add(&total, more, __ATOMIC_RELAXED);
}

constexpr uint64_t kHashStart = 1469598103934665603u;
inline uint64_t hash_on(uint64_t hash, const char* text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211u;
  return hash;
}
uint64_t marks_of(uint64_t hash);
// False where there is no more room.
bool mark(uint64_t hash, uint64_t marks);

}  // namespace maya::files
