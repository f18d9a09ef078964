// Stream-ordered allocation.
#include "maya/pools.h"
#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr int kReadWrite = 3;

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
  return deallocate(pointer(address), stream) ? kSuccess : kInvalidValue;
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
  return set_current_pool(device, pool) ? kSuccess : kInvalidValue;
}

int cuMemPoolCreate(void** pool, const void* properties) {
  if (int status = require_driver()) return status;
  if (!pool || !properties) return kInvalidValue;
  const auto& given = *static_cast<const PoolProperties*>(properties);
  if (given.location.type != kLocationDevice) return kNotSupported;
  if (!device_exists(given.location.id)) return kInvalidDevice;
  *pool = create_pool({given.location.id, given.allocation_type, given.handle_types, given.max_size});
  return kSuccess;
}

int cuMemPoolDestroy(void* pool) {
  if (int status = require_driver()) return status;
  return destroy_pool(pool) ? kSuccess : kInvalidValue;
}

int cuMemPoolTrimTo(void* pool, size_t) {
  if (int status = require_driver()) return status;
  return find_pool(pool) ? kSuccess : kInvalidValue;
}

int cuMemPoolSetAttribute(void* handle, int attribute, void* value) {
  if (int status = require_driver()) return status;
  Handle* pool = find_pool(handle);
  if (!pool || !value) return kInvalidValue;
  return set_pool_attribute(*pool, attribute, value) ? kSuccess : kInvalidValue;
}

int cuMemPoolGetAttribute(void* handle, int attribute, void* value) {
  if (int status = require_driver()) return status;
  Handle* pool = find_pool(handle);
  if (!pool || !value) return kInvalidValue;
  return get_pool_attribute(*pool, attribute, value) ? kSuccess : kInvalidValue;
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
