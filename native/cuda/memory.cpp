// Device memory, managed memory, and where an address belongs.
#include "maya/memory.h"

#include "maya/graph.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// Rows of a pitched allocation start at multiples of the texture alignment.
constexpr size_t kPitchAlignment = 512;

int allocate_device(DevicePtr* address, size_t bytes) {
  if (int status = require_context()) return status;
  if (!address || bytes == 0) return kInvalidValue;
  if (capture_forbids_unsafe_calls()) return kStreamCaptureUnsupported;
  Call call;
  void* block = allocate(current_device(), bytes);
  if (!block) return kOutOfMemory;
  *address = address_of(block);
  return kSuccess;
}

bool release(const Allocation& found) {
  void* address = pointer(found.address);
  switch (found.kind) {
    case MemoryKind::device:
    case MemoryKind::async:
      return deallocate(address);
    case MemoryKind::managed:
      return deallocate_host(address);
    default:
      return false;
  }
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  return allocate_device(address, bytes);
}

int cuMemAllocPitch_v2(unsigned long long* address, size_t* pitch, size_t width, size_t height,
                       unsigned int element) {
  if (!pitch || width == 0 || height == 0) return kInvalidValue;
  if (element != 4 && element != 8 && element != 16) return kInvalidValue;
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return allocate_device(address, *pitch * height);
}

int cuMemFree_v2(unsigned long long address) {
  if (int status = require_context()) return status;
  if (address == 0) return kSuccess;
  if (capture_forbids_unsafe_calls()) return kStreamCaptureUnsupported;
  Call call;
  Allocation found;
  if (!find_allocation(pointer(address), &found) || found.address != address) return kInvalidValue;
  return release(found) ? kSuccess : kInvalidValue;
}

int cuMemAllocManaged(unsigned long long* address, size_t bytes, unsigned int flags) {
  if (int status = require_context()) return status;
  if (!address || bytes == 0 || (flags != 1 && flags != 2)) return kInvalidValue;
  Call call;
  void* block = allocate_host(bytes, MemoryKind::managed, flags);
  if (!block) return kOutOfMemory;
  *address = address_of(block);
  return kSuccess;
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  if (int status = require_context()) return status;
  if (!free_bytes || !total_bytes) return kInvalidValue;
  memory_info(current_device(), free_bytes, total_bytes);
  return kSuccess;
}

int cuMemGetAddressRange_v2(unsigned long long* base, size_t* bytes, unsigned long long address) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!find_allocation(pointer(address), &found)) return kNotFound;
  if (base) *base = found.address;
  if (bytes) *bytes = found.bytes;
  return kSuccess;
}

// Advice changes where pages rest, which the emulator does not follow.
int cuMemAdvise(unsigned long long address, size_t bytes, int, int) {
  if (int status = require_context()) return status;
  Allocation found;
  return bytes && find_allocation(pointer(address), &found) ? kSuccess : kInvalidValue;
}

int cuMemAdvise_v2(unsigned long long address, size_t bytes, int advice, maya_abi_CUmemLocation) {
  return cuMemAdvise(address, bytes, advice, 0);
}

}  // extern "C"
