// One large reserved range that all device addresses come from, so that "is this a device pointer?" is a
// subtraction, addresses repeat from run to run relative to its base, and nothing is committed until touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

namespace maya {

class AddressSpace {
 public:
  // Up to the highest address ever given out: the narrower the range, the rarer two 32-bit sizes side by side
  // are taken for a pointer.
  bool contains(uintptr_t address) const { return address - base_ < high_.load(std::memory_order_relaxed); }
  // 0 when the range cannot be had. Callers hold the memory lock.
  uintptr_t reserve(size_t bytes, size_t alignment);
  void release(uintptr_t address, size_t bytes);

 private:
  void map();

  uintptr_t base_ = 1;
  size_t size_ = 0;  // 0 until the first reservation
  std::atomic<size_t> high_{0};
  std::map<uintptr_t, size_t> free_;
};

AddressSpace& address_space();

}  // namespace maya
