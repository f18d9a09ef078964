// What the driver knows about an address.
#include <cstring>

#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUpointer_attribute
enum PointerAttribute : int {
  kOwningContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kPeerTokens = 5,
  kSyncMemoryOps = 6,
  kBufferId = 7,
  kIsManaged = 8,
  kDeviceOrdinal = 9,
  kIsIpcCapable = 10,
  kRangeStart = 11,
  kRangeSize = 12,
  kMapped = 13,
  kAllowedHandles = 14,
  kIsRdmaCapable = 15,
  kAccessFlags = 16,
  kPoolHandle = 17,
  kMappingSize = 18,
  kMappingBase = 19,
  kBlockId = 20,
  kIsDecompressCapable = 21,
};

template <typename T>
int store(void* data, T value) {
  memcpy(data, &value, sizeof value);
  return kSuccess;
}

bool on_host(const Allocation& found) {
  return found.kind == MemoryKind::pinned || found.kind == MemoryKind::registered;
}

int answer(void* data, int attribute, DevicePtr address, const Allocation& found) {
  const bool managed = found.kind == MemoryKind::managed;
  const bool vmm = found.kind == MemoryKind::vmm;
  switch (attribute) {
    case kOwningContext:
      return store<void*>(data, vmm ? nullptr : primary_context(found.device));
    case kMemoryType:
      return store<unsigned>(data, on_host(found) ? kHost : kDevice);
    case kDevicePointer:
      return store<DevicePtr>(data, address);
    case kHostPointer:
      if (!on_host(found) && !managed) return kInvalidValue;
      return store<DevicePtr>(data, address);
    case kSyncMemoryOps:
      return store<int>(data, 0);
    case kBufferId:
      return store<uint64_t>(data, found.id);
    case kIsManaged:
      return store<int>(data, managed);
    case kDeviceOrdinal:
      return store<int>(data, found.device);
    case kIsIpcCapable:
      return store<int>(data, found.kind == MemoryKind::device);
    case kRangeStart:
    case kMappingBase:
      return store<DevicePtr>(data, found.address);
    case kRangeSize:
    case kMappingSize:
      return store<size_t>(data, found.bytes);
    case kMapped:
      return store<int>(data, 1);
    case kAllowedHandles:
      return store<uint64_t>(data, vmm ? kPosixDescriptor : 0);
    case kIsRdmaCapable:
      return store<int>(data, !on_host(found) && !managed);
    case kAccessFlags:
      return store<int>(data, 3);
    case kPoolHandle:
      return store<void*>(data,
                          found.kind == MemoryKind::async ? primary_context(found.device)->pool : nullptr);
    case kBlockId:
      return store<uint64_t>(data, found.id);
    case kIsDecompressCapable:
      return store<int>(data, 0);
    case kPeerTokens:
      return kNotSupported;
    default:
      return kInvalidValue;
  }
}

size_t width_of(int attribute) {
  switch (attribute) {
    case kMemoryType:
    case kSyncMemoryOps:
    case kIsManaged:
    case kDeviceOrdinal:
    case kIsIpcCapable:
    case kMapped:
    case kIsRdmaCapable:
    case kAccessFlags:
    case kIsDecompressCapable:
      return 4;
    default:
      return 8;
  }
}

// Of ordinary host memory the plural form answers zeros, and -2 for the device.
void answer_unknown(void* data, int attribute) {
  memset(data, 0, width_of(attribute));
  if (attribute == kDeviceOrdinal) store<int>(data, -2);
}

}  // namespace

extern "C" {

int cuPointerGetAttribute(void* data, int attribute, unsigned long long address) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!data || !find_allocation(pointer(address), &found)) return kInvalidValue;
  return answer(data, attribute, address, found);
}

int cuPointerGetAttributes(unsigned int count, int* attributes, void** data, unsigned long long address) {
  if (int status = require_context()) return status;
  if (!attributes || !data) return kInvalidValue;
  Allocation found;
  const bool known = find_allocation(pointer(address), &found);
  for (unsigned i = 0; i < count; ++i) {
    if (!known || answer(data[i], attributes[i], address, found) != kSuccess)
      answer_unknown(data[i], attributes[i]);
  }
  return kSuccess;
}

int cuPointerSetAttribute(const void* value, int attribute, unsigned long long address) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!value || !find_allocation(pointer(address), &found)) return kInvalidValue;
  return attribute == kSyncMemoryOps ? kSuccess : kInvalidValue;
}

}  // extern "C"
