#include "blocks.h"

#include <algorithm>

#include "maya/memory.h"

namespace maya {

Blocks& blocks() {
  static Blocks* instance = new Blocks;
  return *instance;
}

void Blocks::forget_empty(uintptr_t start) {
  Empty& empty = empty_from(start);
  if (empty.start.load(std::memory_order_relaxed) == start) empty.start.store(0, std::memory_order_release);
}

Blocks::Pieces::iterator Blocks::first_behind(uintptr_t start) {
  auto piece = pieces_.lower_bound(start);
  if (piece != pieces_.begin() && std::prev(piece)->block.end > start) --piece;
  return piece;
}

Blocks::Pieces::iterator Blocks::erase_until(Pieces::iterator piece, uintptr_t end) {
  while (piece != pieces_.end() && piece->block.start < end) {
    forget_empty(piece->block.start);
    piece = pieces_.erase(piece);
  }
  return piece;
}

bool Blocks::add(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  // A caching allocator hands out the same pieces in every step, now and then for a smaller tensor.
  Empty& empty = empty_from(address);
  bool is_empty = empty.start.load(std::memory_order_relaxed) == address && end <= empty.end;
  if (is_empty && end == empty.end) return false;
  added_ = {address, end};
  auto first = first_behind(address);
  if (first == pieces_.end() || first->block.start >= end) {
    pieces_.insert(first, Piece{added_});
    return true;
  }
  bool is_smaller = first->block.start == address && end <= first->block.end;
  if (is_smaller && is_empty) empty.end = end;
  if (!is_smaller) {
    forget_empty(first->block.start);
    erase_until(std::next(first), end);
  }
  first->block = added_;  // in the place of the first that it overlaps
  return !is_smaller || !is_empty;
}

void Blocks::remove_range(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  erase_until(first_behind(address), address + bytes);
  added_ = {};
}

Block Blocks::find(uintptr_t address, Block segment) {
  std::lock_guard<std::mutex> guard(lock_);
  auto next = pieces_.upper_bound(address);
  if (next != pieces_.begin()) {
    Block block = std::prev(next)->block;
    if (block.end > address) return block;
    segment.start = std::max(segment.start, block.end);
  }
  if (next != pieces_.end()) segment.end = std::min(segment.end, next->block.start);
  return segment;
}

void Blocks::note_values(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  for (auto piece = first_behind(address); piece != pieces_.end() && piece->block.start < address + bytes;
       ++piece) {
    forget_empty(piece->block.start);
  }
}

bool Blocks::is_piece(Block block) {
  if (block.start == added_.start && block.end == added_.end) return true;
  auto piece = pieces_.find(block.start);
  return piece != pieces_.end() && piece->block.end == block.end;
}

void Blocks::note_forgotten(Block block) {
  std::lock_guard<std::mutex> guard(lock_);
  if (!is_piece(block)) return;
  Empty& empty = empty_from(block.start);
  empty.end = block.end;
  empty.start.store(block.start, std::memory_order_release);
}

Block reachable_from(uintptr_t address) {
  Allocation found;
  if (!find_allocation(reinterpret_cast<const void*>(address), &found)) return {address, address};
  return blocks().find(address, {found.address, found.address + found.bytes});
}

}  // namespace maya
