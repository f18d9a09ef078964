// Pieces of device memory that a program's own allocator has handed out. The device sees only the large
// segments they are cut from; a kernel that is not understood overwrites no more than the pieces it is given.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>

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
  bool may_hold_values(uintptr_t address) {
    return empty_from(address).start.load(std::memory_order_acquire) != address;
  }
  // To be called after a value was learnt, so that one is never missed.
  void note_values(uintptr_t address, size_t bytes);
  // To be called before all that is known of a piece is forgotten.
  void note_forgotten(Block block);

 private:
  // May be changed where it stands as long as it stays between its neighbours.
  struct Piece {
    mutable Block block;
  };
  struct Earlier {
    using is_transparent = void;
    bool operator()(const Piece& a, const Piece& b) const { return a.block.start < b.block.start; }
    bool operator()(const Piece& a, uintptr_t start) const { return a.block.start < start; }
    bool operator()(uintptr_t start, const Piece& b) const { return start < b.block.start; }
  };
  using Pieces = std::set<Piece, Earlier>;
  // Changed under the lock; every launch reads `start` without it.
  struct Empty {
    std::atomic<uintptr_t> start{0};
    uintptr_t end = 0;
  };
  static constexpr size_t kEmptyBits = 12;

  // Where a piece is noted in which nothing is known. Another one may take its place: then it is only slower.
  Empty& empty_from(uintptr_t start) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
    return empty_[(start * kSpread) >> (64 - kEmptyBits)];
  }
  void forget_empty(uintptr_t start);
  // The first piece that ends behind `start`.
  Pieces::iterator first_behind(uintptr_t start);
  // From `piece` on; what follows them.
  Pieces::iterator erase_until(Pieces::iterator piece, uintptr_t end);
  bool is_piece(Block block);

  std::mutex lock_;
  Pieces pieces_;  // disjoint
  Block added_;    // the last that was, where it still is a piece
  Empty empty_[size_t{1} << kEmptyBits];
};

Blocks& blocks();

// The memory that a write of unknown extent through `address` may reach.
Block reachable_from(uintptr_t address);

// Learns of every piece that PyTorch's caching allocator hands out, from the first call after libc10_cuda.so
// was loaded. Cheap when there is nothing to do.
void watch_torch_allocator();

}  // namespace maya
