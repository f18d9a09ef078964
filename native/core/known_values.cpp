#include "known_values.h"

#include <algorithm>
#include <cstring>

namespace maya {

KnownValues& known_values() {
  static KnownValues* instance = new KnownValues;
  return *instance;
}

void KnownValues::forget_range(uintptr_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  auto range = ranges_.lower_bound(address);
  if (range != ranges_.begin() && std::prev(range)->second > address) --range;
  while (range != ranges_.end() && range->first < end) {
    uintptr_t range_end = range->second;
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
  std::lock_guard<std::mutex> guard(lock_);
  ranges_[address] = address + bytes;
}

void KnownValues::forget_from(uintptr_t address) {
  std::lock_guard<std::mutex> guard(lock_);
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return;
  --range;
  if (range->second <= address) return;
  if (range->first == address) {
    ranges_.erase(range);
  } else {
    range->second = address;
  }
}

size_t KnownValues::known_prefix(uintptr_t address, size_t bytes) {
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

bool KnownValues::read(void* to, uintptr_t address, size_t bytes) {
  std::memset(to, 0, bytes);
  std::lock_guard<std::mutex> guard(lock_);
  uintptr_t end = address + bytes;
  size_t known = 0;
  auto range = ranges_.upper_bound(address);
  if (range != ranges_.begin()) --range;
  for (; range != ranges_.end() && range->first < end; ++range) {
    uintptr_t from = std::max(range->first, address);
    uintptr_t until = std::min(range->second, end);
    if (from >= until) continue;
    std::memcpy(static_cast<char*>(to) + (from - address), reinterpret_cast<const void*>(from), until - from);
    known += until - from;
  }
  return known == bytes;
}

}  // namespace maya
