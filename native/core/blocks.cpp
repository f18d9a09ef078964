#include "blocks.h"

#include <algorithm>

#include "maya/memory.h"

namespace maya {

Blocks& blocks() {
  static Blocks* instance = new Blocks;
  return *instance;
}

Block& Blocks::empty_from(uintptr_t start) {
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  return empty_[(start * kSpread) >> (64 - kEmptyBits)];
}

void Blocks::forget_empty(uintptr_t start) {
  Block& empty = empty_from(start);
  if (empty.start == start) empty = {};
}

Blocks::Ends::iterator Blocks::first_behind(uintptr_t start) {
  auto block = ends_.lower_bound(start);
  if (block != ends_.begin() && std::prev(block)->second > start) --block;
  return block;
}

void Blocks::erase_overlaps(uintptr_t start, uintptr_t end) {
  auto block = first_behind(start);
  while (block != ends_.end() && block->first < end) {
    forget_empty(block->first);
    block = ends_.erase(block);
  }
}

bool Blocks::add(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  // A caching allocator hands out the same pieces in every step, now and then for a smaller tensor.
  Block& empty = empty_from(address);
  bool is_empty = empty.start == address && end <= empty.end;
  if (is_empty && end == empty.end) return false;
  auto known = ends_.find(address);
  if (known != ends_.end() && end <= known->second) {
    known->second = end;
    if (is_empty) empty.end = end;
    return !is_empty;
  }
  erase_overlaps(address, end);
  ends_[address] = end;
  return true;
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

bool Blocks::may_hold_values(uintptr_t address) {
  std::lock_guard<std::mutex> guard(lock_);
  return empty_from(address).start != address;
}

void Blocks::note_values(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  for (auto block = first_behind(address); block != ends_.end() && block->first < address + bytes; ++block) {
    forget_empty(block->first);
  }
}

void Blocks::note_forgotten(Block block) {
  std::lock_guard<std::mutex> guard(lock_);
  auto known = ends_.find(block.start);
  if (known != ends_.end() && known->second == block.end) empty_from(block.start) = block;
}

Block reachable_from(uintptr_t address) {
  Allocation found;
  if (!find_allocation(reinterpret_cast<const void*>(address), &found)) return {address, address};
  return blocks().find(address, {found.address, found.address + found.bytes});
}

}  // namespace maya
