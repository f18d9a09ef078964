// One large reserved range that all device addresses come from, so that "is this a device pointer?" is a
// subtraction, addresses repeat from run to run relative to its base, and nothing is committed until touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

namespace maya {

// Up to the highest address ever given out: the narrower the range, the rarer two 32-bit sizes side by side
// are taken for a pointer. Every word of every kernel's arguments is held against it.
struct DeviceRange {
  std::atomic<uintptr_t> base{1};
  std::atomic<size_t> bytes{0};

  bool contains(uintptr_t address) const {
    return address - base.load(std::memory_order_relaxed) < bytes.load(std::memory_order_relaxed);
  }
};
inline DeviceRange device_range;

class AddressSpace {
 public:
  // 0 when the range cannot be had. Callers hold the memory lock.
  uintptr_t reserve(size_t bytes, size_t alignment);
  void release(uintptr_t address, size_t bytes);

 private:
  void map();

  size_t size_ = 0;  // 0 until the first reservation
  std::map<uintptr_t, size_t> free_;
};

AddressSpace& address_space();

}  // namespace maya
