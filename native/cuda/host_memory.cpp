// Page-locked host memory.
#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr unsigned kAllocationFlags = 7;  // portable, device-mapped, write-combined

bool is_host(const Allocation& found) {
  return found.kind == MemoryKind::pinned || found.kind == MemoryKind::registered;
}

}  // namespace

extern "C" {

int cuMemHostAlloc(void** block, size_t bytes, unsigned int flags) {
  if (int status = require_context()) return status;
  if (!block || bytes == 0 || (flags & ~kAllocationFlags)) return kInvalidValue;
  Call call;
  *block = allocate_host(bytes, MemoryKind::pinned, flags);
  return *block ? kSuccess : kOutOfMemory;
}

int cuMemAllocHost_v2(void** block, size_t bytes) {
  return cuMemHostAlloc(block, bytes, 0);
}

int cuMemFreeHost(void* block) {
  if (int status = require_context()) return status;
  Call call;
  return deallocate_host(block) ? kSuccess : kInvalidValue;
}

int cuMemHostRegister_v2(void* block, size_t bytes, unsigned int flags) {
  if (int status = require_context()) return status;
  if (!block || bytes == 0) return kInvalidValue;
  return register_host(block, bytes, flags) ? kSuccess : kHostMemoryAlreadyRegistered;
}

int cuMemHostUnregister(void* block) {
  if (int status = require_context()) return status;
  return unregister_host(block) ? kSuccess : kHostMemoryNotRegistered;
}

int cuMemHostGetDevicePointer_v2(unsigned long long* address, void* block, unsigned int flags) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!address || flags != 0) return kInvalidValue;
  if (!find_allocation(block, &found) || !is_host(found)) return kInvalidValue;
  *address = address_of(block);
  return kSuccess;
}

int cuMemHostGetFlags(unsigned int* flags, void* block) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!flags || !find_allocation(block, &found) || !is_host(found)) return kInvalidValue;
  *flags = found.flags;
  return kSuccess;
}

}  // extern "C"
