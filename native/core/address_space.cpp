#include "address_space.h"

#include <sys/mman.h>

#include <algorithm>

namespace maya {
namespace {
constexpr size_t kSize = size_t{1} << 44;  // 16 TiB: 8 GPUs of 192 GB many times over, within 47 bits
}

AddressSpace& address_space() {
  static AddressSpace* instance = new AddressSpace;
  return *instance;
}

void AddressSpace::map() {
  // Some machines limit address space (ulimit -v): take what there is.
  for (size_t size = kSize; size >= (size_t{1} << 38); size /= 2) {
    void* range =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    // A page is 2 MiB to the program; a huge page behind each touched byte would be 2 MiB of real memory.
    madvise(range, size, MADV_NOHUGEPAGE);
    madvise(range, size, MADV_DONTDUMP);
    auto base = reinterpret_cast<uintptr_t>(range);
    device_range.base = base;
    size_ = size;
    free_[base] = size;
    return;
  }
}

uintptr_t AddressSpace::reserve(size_t bytes, size_t alignment) {
  if (size_ == 0) map();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    uintptr_t start = (range->first + alignment - 1) / alignment * alignment;
    size_t lost = start - range->first;
    if (range->second < lost + bytes) continue;
    size_t rest = range->second - lost - bytes;
    if (lost) {
      range->second = lost;
    } else {
      free_.erase(range);
    }
    if (rest) free_[start + bytes] = rest;
    device_range.bytes = std::max(device_range.bytes.load(), start + bytes - device_range.base);
    return start;
  }
  return 0;
}

void AddressSpace::release(uintptr_t address, size_t bytes) {
  uintptr_t first_page = (address + 4095) / 4096 * 4096;
  uintptr_t last_page = (address + bytes) / 4096 * 4096;
  if (last_page > first_page) {
    madvise(reinterpret_cast<void*>(first_page), last_page - first_page, MADV_DONTNEED);
  }
  auto entry = free_.emplace(address, bytes).first;
  auto next = std::next(entry);
  if (next != free_.end() && entry->first + entry->second == next->first) {
    entry->second += next->second;
    free_.erase(next);
  }
  if (entry == free_.begin()) return;
  auto previous = std::prev(entry);
  if (previous->first + previous->second == entry->first) {
    previous->second += entry->second;
    free_.erase(entry);
  }
}

}  // namespace maya
