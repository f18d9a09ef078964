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
  void add(uintptr_t address, size_t bytes);
  // Drops every piece of a segment that went back to the device.
  void remove_range(uintptr_t address, size_t bytes);
  // The piece that holds `address`; where none does, what lies between its neighbours within `segment`.
  Block find(uintptr_t address, Block segment);

 private:
  void erase_overlaps(uintptr_t start, uintptr_t end);

  std::mutex lock_;
  std::map<uintptr_t, uintptr_t> ends_;  // start -> end, disjoint
};

Blocks& blocks();

// The memory that a write of unknown extent through `address` may reach.
Block reachable_from(uintptr_t address);

// Learns of every piece that PyTorch's caching allocator hands out, from the first call after libc10_cuda.so
// was loaded. Cheap when there is nothing to do.
void watch_torch_allocator();

}  // namespace maya
