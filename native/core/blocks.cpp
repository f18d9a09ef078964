#include "blocks.h"

#include <algorithm>

#include "maya/memory.h"

namespace maya {

Blocks& blocks() {
  static Blocks* instance = new Blocks;
  return *instance;
}

void Blocks::erase_overlaps(uintptr_t start, uintptr_t end) {
  auto block = ends_.lower_bound(start);
  if (block != ends_.begin() && std::prev(block)->second > start) --block;
  while (block != ends_.end() && block->first < end) block = ends_.erase(block);
}

void Blocks::add(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  // A caching allocator hands out the same pieces in every step.
  auto known = ends_.find(address);
  if (known != ends_.end() && known->second == address + bytes) return;
  erase_overlaps(address, address + bytes);
  ends_[address] = address + bytes;
}

void Blocks::remove_range(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  erase_overlaps(address, address + bytes);
}

Block Blocks::find(uintptr_t address, Block segment) {
  std::lock_guard<std::mutex> guard(lock_);
  auto next = ends_.upper_bound(address);
  if (next != ends_.begin()) {
    auto block = std::prev(next);
    if (block->second > address) return {block->first, block->second};
    segment.start = std::max(segment.start, block->second);
  }
  if (next != ends_.end()) segment.end = std::min(segment.end, next->first);
  return segment;
}

Block reachable_from(uintptr_t address) {
  Allocation found;
  if (!find_allocation(reinterpret_cast<const void*>(address), &found)) return {address, address};
  return blocks().find(address, {found.address, found.address + found.bytes});
}

}  // namespace maya
