// Pieces of device memory that a program's own allocator has handed out. The device sees only the large
// segments they are cut from; a kernel that is not understood overwrites no more than the pieces it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace maya {

struct Block {
  uintptr_t start = 0;
  uintptr_t end = 0;
};

class Blocks {
 public:
  // False where nothing can be known there (see may_hold_values), else the caller forgets it.
  bool add(uintptr_t address, size_t bytes);
  // Drops every piece of a segment that went back to the device.
  void remove_range(uintptr_t address, size_t bytes);
  // The piece that holds `address`; where none does, what lies between its neighbours within `segment`.
  Block find(uintptr_t address, Block segment);
  // Whether a value may be known in what a write through `address` may reach: false only at the start of a
  // piece in which none was learnt since all of it was forgotten. Nearly all launches of a program end here.
  bool may_hold_values(uintptr_t address);
  // To be called after a value was learnt, so that one is never missed.
  void note_values(uintptr_t address, size_t bytes);
  // To be called before all that is known of a piece is forgotten.
  void note_forgotten(Block block);

 private:
  using Ends = std::map<uintptr_t, uintptr_t>;  // start -> end
  static constexpr size_t kEmptyBits = 12;

  // Where a piece is noted in which nothing is known. Another one may take its place: then it is only slower.
  Block& empty_from(uintptr_t start);
  void forget_empty(uintptr_t start);
  // The first piece that ends behind `start`.
  Ends::iterator first_behind(uintptr_t start);
  void erase_overlaps(uintptr_t start, uintptr_t end);

  std::mutex lock_;
  Ends ends_;  // disjoint
  Block empty_[size_t{1} << kEmptyBits];
};

Blocks& blocks();

// The memory that a write of unknown extent through `address` may reach.
Block reachable_from(uintptr_t address);

// Learns of every piece that PyTorch's caching allocator hands out, from the first call after libc10_cuda.so
// was loaded. Cheap when there is nothing to do.
void watch_torch_allocator();

}  // namespace maya
