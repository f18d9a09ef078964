#include "known_values.h"

#include <algorithm>
#include <cstring>

#include "assumptions.h"
#include "maya/exchange.h"
#include "maya/memory.h"

namespace maya {
namespace {

// A message that is still on its way comes before whoever reads or writes its memory now.
void expect(uintptr_t address, size_t bytes) {
  settle(reinterpret_cast<const void*>(address), bytes, Reader::device);
}

// Kernels for groups of tensors are given the tensors' addresses in memory, and write through them.
void add_addresses(uintptr_t from, uintptr_t until, std::vector<uintptr_t>* held) {
  constexpr uintptr_t kMost = 4096, kWord = sizeof(uintptr_t);
  from = (from + kWord - 1) / kWord * kWord;
  until = std::min(until, from + kMost);
  for (; from + kWord <= until; from += kWord) {
    uintptr_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(from), sizeof word);
    if (is_device_address(word)) held->push_back(word);
  }
}

}  // namespace

thread_local std::vector<Block>* KnownValues::postponed_ = nullptr;

KnownValues& known_values() {
  static KnownValues* instance = new KnownValues;
  return *instance;
}

void KnownValues::forget_range(uintptr_t address, size_t bytes) {
  forget_range(address, bytes, nullptr);
}

void KnownValues::forget_range(uintptr_t address, size_t bytes, std::vector<uintptr_t>* held) {
  supersede(reinterpret_cast<const void*>(address), bytes);
  assumptions().forget_range(address, bytes);
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  auto range = ranges_.lower_bound(address);
  if (range != ranges_.begin() && std::prev(range)->second > address) --range;
  while (range != ranges_.end() && range->first < end) {
    uintptr_t range_end = range->second;
    if (held) add_addresses(std::max(range->first, address), std::min(range_end, end), held);
    if (range->first < address) {
      range->second = address;
      ++range;
    } else {
      range = ranges_.erase(range);
    }
    if (range_end > end) ranges_[end] = range_end;
  }
}

void KnownValues::learn(uintptr_t address, size_t bytes) {
  if (!bytes) return;
  forget_range(address, bytes);
  any_.store(true, std::memory_order_relaxed);
  {
    std::lock_guard<std::mutex> guard(lock_);
    ranges_[address] = address + bytes;
  }
  blocks().note_values(address, bytes);
}

void KnownValues::forget_block(Block block) {
  blocks().note_forgotten(block);
  forget_range(block.start, block.end - block.start);
}

void KnownValues::forget_reachable(uintptr_t address) {
  if (postponed_) return postponed_->push_back(reachable_from(address));
  if (!any_.load(std::memory_order_relaxed)) return;  // then nothing is assumed either
  if (!exchanges_under_way.load(std::memory_order_relaxed) && !blocks().may_hold_values(address)) return;
  Block reach = reachable_from(address);
  blocks().note_forgotten(reach);
  std::vector<uintptr_t> held;
  forget_range(reach.start, reach.end - reach.start, &held);
  for (uintptr_t further : held) {
    Block behind = reachable_from(further);
    forget_range(behind.start, behind.end - behind.start);
  }
}

bool KnownValues::knows_any(uintptr_t address, size_t bytes) {
  expect(address, bytes);
  std::lock_guard<std::mutex> guard(lock_);
  auto range = ranges_.lower_bound(address + bytes);
  return range != ranges_.begin() && std::prev(range)->second > address;
}

size_t KnownValues::known_prefix(uintptr_t address, size_t bytes) {
  expect(address, bytes);
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  uintptr_t known_until = address;
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return 0;
  for (--range; range != ranges_.end() && range->first <= known_until && known_until < end; ++range) {
    known_until = std::max(known_until, range->second);
  }
  return std::min(known_until, end) - address;
}

template <typename Visit>
void KnownValues::each_part(uintptr_t address, size_t bytes, Visit visit) {
  expect(address, bytes);
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  auto range = ranges_.upper_bound(address);
  if (range != ranges_.begin()) --range;
  for (; range != ranges_.end() && range->first < end; ++range) {
    uintptr_t from = std::max(range->first, address);
    uintptr_t until = std::min(range->second, end);
    if (from < until) visit(from, until);
  }
}

bool KnownValues::read(void* to, uintptr_t address, size_t bytes) {
  std::memset(to, 0, bytes);
  size_t known = 0;
  each_part(address, bytes, [&](uintptr_t from, uintptr_t until) {
    std::memcpy(static_cast<char*>(to) + (from - address), reinterpret_cast<const void*>(from), until - from);
    known += until - from;
  });
  return known == bytes;
}

size_t KnownValues::mask(uint8_t* mask, uintptr_t address, size_t bytes) {
  std::memset(mask, 0, bytes);
  size_t known = 0;
  each_part(address, bytes, [&](uintptr_t from, uintptr_t until) {
    std::memset(mask + (from - address), 1, until - from);
    known += until - from;
  });
  return known;
}

}  // namespace maya
