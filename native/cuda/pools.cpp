// Stream-ordered allocation. A pool here is a name and its settings: all pools draw on the device's one store
// of memory, and what is freed goes back to it at once, as under a release threshold of zero.
#include <cstring>

#include "maya/handles.h"
#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUmemPool_attribute
enum PoolAttribute : int {
  kReuseFollow = 1,
  kReuseInternal = 3,
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kUsedHigh = 8,
  kAllocationType = 9,
  kExportTypes = 10,
  kLocationId = 11,
  kLocationType = 12,
  kMaxSize = 13,
};
constexpr int kLocation = 100;  // keys of our own start here
constexpr int kReadWrite = 3;

Handle* make_pool(int device) {
  Handle* pool = create_handle(Library::cuda, kPool);
  pool->device = device;
  for (int attribute = kReuseFollow; attribute <= kReuseInternal; ++attribute) set<int>(*pool, attribute, 1);
  set(*pool, kLocation, MemoryLocation{kLocationDevice, device});
  return pool;
}

void*& default_pool(int device) {
  Context* context = primary_context(device);
  if (!context->default_pool) context->default_pool = context->pool = make_pool(device);
  return context->default_pool;
}

void*& current_pool(int device) {
  default_pool(device);
  return primary_context(device)->pool;
}

Handle* find_pool(void* handle) {
  return find_handle(handle, Library::cuda, kPool);
}

bool is_flag(int attribute) {
  return attribute >= kReuseFollow && attribute <= kReuseInternal;
}
bool is_usage(int attribute) {
  return attribute >= kReservedCurrent && attribute <= kUsedHigh;
}

uint64_t used_bytes(int device) {
  size_t free_bytes = 0, total_bytes = 0;
  memory_info(device, &free_bytes, &total_bytes);
  const uint64_t own = device_model().context_bytes;
  return total_bytes - free_bytes > own ? total_bytes - free_bytes - own : 0;
}

int allocate_async(DevicePtr* address, size_t bytes, Handle* pool, void* stream_handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  if (!address || bytes == 0) return kInvalidValue;
  Call call;
  void* block = allocate(pool ? pool->device : stream->device, bytes, MemoryKind::async, stream);
  if (!block) return kOutOfMemory;
  *address = address_of(block);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuMemAllocAsync(unsigned long long* address, size_t bytes, void* stream) {
  return allocate_async(address, bytes, nullptr, stream);
}

int cuMemAllocFromPoolAsync(unsigned long long* address, size_t bytes, void* pool_handle, void* stream) {
  if (int status = require_context()) return status;
  Handle* pool = find_pool(pool_handle);
  return pool ? allocate_async(address, bytes, pool, stream) : kInvalidValue;
}

int cuMemFreeAsync(unsigned long long address, void* stream_handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  Call call;
  Allocation found;
  if (!find_allocation(pointer(address), &found) || found.address != address) return kInvalidValue;
  return deallocate(pointer(address), found.kind, stream) ? kSuccess : kInvalidValue;
}

int cuDeviceGetDefaultMemPool(void** pool, int device) {
  if (int status = require_device(device)) return status;
  if (!pool) return kInvalidValue;
  *pool = default_pool(device);
  return kSuccess;
}

int cuDeviceGetMemPool(void** pool, int device) {
  if (int status = require_device(device)) return status;
  if (!pool) return kInvalidValue;
  *pool = current_pool(device);
  return kSuccess;
}

int cuDeviceSetMemPool(int device, void* pool) {
  if (int status = require_device(device)) return status;
  const Handle* found = find_pool(pool);
  if (!found || found->device != device) return kInvalidValue;
  current_pool(device) = pool;
  return kSuccess;
}

int cuMemPoolCreate(void** pool, const void* properties) {
  if (int status = require_driver()) return status;
  if (!pool || !properties) return kInvalidValue;
  const auto& given = *static_cast<const PoolProperties*>(properties);
  if (given.location.type != kLocationDevice) return kNotSupported;
  if (!device_exists(given.location.id)) return kInvalidDevice;
  Handle* made = make_pool(given.location.id);
  set<int>(*made, kAllocationType, given.allocation_type);
  set<int>(*made, kExportTypes, given.handle_types);
  set<uint64_t>(*made, kMaxSize, given.max_size);
  *pool = made;
  return kSuccess;
}

int cuMemPoolDestroy(void* pool) {
  if (int status = require_driver()) return status;
  const Handle* found = find_pool(pool);
  if (!found || pool == default_pool(found->device)) return kInvalidValue;
  if (current_pool(found->device) == pool) current_pool(found->device) = default_pool(found->device);
  return destroy_handle(pool, Library::cuda) ? kSuccess : kInvalidValue;
}

int cuMemPoolTrimTo(void* pool, size_t) {
  if (int status = require_driver()) return status;
  return find_pool(pool) ? kSuccess : kInvalidValue;
}

int cuMemPoolSetAttribute(void* handle, int attribute, void* value) {
  if (int status = require_driver()) return status;
  Handle* pool = find_pool(handle);
  if (!pool || !value) return kInvalidValue;
  if (is_flag(attribute)) return set<int>(*pool, attribute, *static_cast<int*>(value)), kSuccess;
  if (attribute == kReleaseThreshold) {
    return set<uint64_t>(*pool, attribute, *static_cast<uint64_t*>(value)), kSuccess;
  }
  // High watermarks may only be reset.
  return is_usage(attribute) && *static_cast<uint64_t*>(value) == 0 ? kSuccess : kInvalidValue;
}

int cuMemPoolGetAttribute(void* handle, int attribute, void* value) {
  if (int status = require_driver()) return status;
  Handle* pool = find_pool(handle);
  if (!pool || !value) return kInvalidValue;
  if (is_usage(attribute)) return *static_cast<uint64_t*>(value) = used_bytes(pool->device), kSuccess;
  switch (attribute) {
    case kReuseFollow:
    case kReuseFollow + 1:
    case kReuseInternal:
    case kExportTypes:
      return *static_cast<int*>(value) = get<int>(*pool, attribute), kSuccess;
    case kAllocationType:
      return *static_cast<int*>(value) = get<int>(*pool, attribute, 1), kSuccess;
    case kLocationId:
      return *static_cast<int*>(value) = pool->device, kSuccess;
    case kLocationType:
      return *static_cast<int*>(value) = kLocationDevice, kSuccess;
    case kReleaseThreshold:
    case kMaxSize:
      return *static_cast<uint64_t*>(value) = get<uint64_t>(*pool, attribute), kSuccess;
    default:
      return kInvalidValue;
  }
}

int cuMemPoolSetAccess(void* pool, const void* descriptions, size_t count) {
  if (int status = require_driver()) return status;
  const auto* given = static_cast<const AccessDescription*>(descriptions);
  if (!find_pool(pool) || (count && !given)) return kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (!device_exists(given[i].location.id)) return kInvalidDevice;
  }
  return kSuccess;
}

int cuMemPoolGetAccess(int* flags, void* handle, void* location) {
  if (int status = require_driver()) return status;
  if (!flags || !find_pool(handle) || !location) return kInvalidValue;
  *flags = kReadWrite;
  return kSuccess;
}

}  // extern "C"
