// Stream-ordered allocation (cudaMallocAsync) and its pools.
#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/memory.h"
#include "maya/pools.h"
#include "status.h"

using namespace maya;

namespace {

constexpr int kLocationDevice = 1;

// The head of cudaMemPoolProps.
struct PoolProperties {
  int allocation_type;
  int handle_types;
  int location_type;
  int location_id;
  void* security;
  size_t max_size;
};

int allocate_async(void** address, size_t bytes, int device, void* stream, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(stream, per_thread);
  if (!on.stream) return on.error;
  if (!address) return fail(kInvalidValue);
  if (bytes == 0) return *address = nullptr, kSuccess;
  *address = allocate(device, bytes, MemoryKind::async, on.stream);
  return check(*address != nullptr, kMemoryAllocation);
}

int free_async(void* address, void* stream, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(stream, per_thread);
  if (!on.stream) return on.error;
  return check(deallocate(address, on.stream), kInvalidValue);
}

}  // namespace

int cudaMallocAsync(void** address, size_t bytes, void* stream) {
  return allocate_async(address, bytes, current_device(), stream, false);
}
int cudaMallocAsync_ptsz(void** address, size_t bytes, void* stream) {
  return allocate_async(address, bytes, current_device(), stream, true);
}
int cudaFreeAsync(void* address, void* stream) {
  return free_async(address, stream, false);
}
int cudaFreeAsync_ptsz(void* address, void* stream) {
  return free_async(address, stream, true);
}

int cudaMallocFromPoolAsync(void** address, size_t bytes, void* pool, void* stream) {
  Handle* found = find_pool(pool);
  return found ? allocate_async(address, bytes, found->device, stream, false) : fail(kInvalidValue);
}
int cudaMallocFromPoolAsync_ptsz(void** address, size_t bytes, void* pool, void* stream) {
  Handle* found = find_pool(pool);
  return found ? allocate_async(address, bytes, found->device, stream, true) : fail(kInvalidValue);
}

int cudaDeviceGetDefaultMemPool(void** pool, int device) {
  if (int error = ready()) return fail(error);
  if (!pool) return fail(kInvalidValue);
  if (device < 0 || device >= device_count()) return fail(kInvalidDevice);
  *pool = default_pool(device);
  return kSuccess;
}

int cudaDeviceGetMemPool(void** pool, int device) {
  if (int error = ready()) return fail(error);
  if (!pool) return fail(kInvalidValue);
  if (device < 0 || device >= device_count()) return fail(kInvalidDevice);
  *pool = current_pool(device);
  return kSuccess;
}

int cudaDeviceSetMemPool(int device, void* pool) {
  if (int error = ready()) return fail(error);
  if (device < 0 || device >= device_count()) return fail(kInvalidDevice);
  return check(set_current_pool(device, pool), kInvalidValue);
}

int cudaMemPoolCreate(void** pool, const void* properties) {
  if (int error = ready()) return fail(error);
  if (!pool || !properties) return fail(kInvalidValue);
  const auto& given = *static_cast<const PoolProperties*>(properties);
  if (given.location_type != kLocationDevice) return fail(kNotSupported);
  if (given.location_id < 0 || given.location_id >= device_count()) return fail(kInvalidDevice);
  *pool = create_pool({given.location_id, given.allocation_type, given.handle_types, given.max_size});
  return kSuccess;
}

int cudaMemPoolDestroy(void* pool) {
  return check(destroy_pool(pool), kInvalidValue);
}

int cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
  Handle* found = find_pool(pool);
  return check(found && value && set_pool_attribute(*found, attribute, value), kInvalidValue);
}

int cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
  Handle* found = find_pool(pool);
  return check(found && value && get_pool_attribute(*found, attribute, value), kInvalidValue);
}

int cudaMemPoolTrimTo(void* pool, size_t) {
  return check(find_pool(pool) != nullptr, kInvalidValue);
}

int cudaMemPoolSetAccess(void* pool, const void* descriptors, size_t count) {
  return check(find_pool(pool) && (descriptors || !count), kInvalidValue);
}

int cudaMemPoolGetAccess(int* flags, void* pool, void* location) {
  if (!find_pool(pool) || !flags || !location) return fail(kInvalidValue);
  *flags = 3;  // read and write
  return kSuccess;
}

int cudaDeviceGetGraphMemAttribute(int, int, void* value) {
  if (!value) return fail(kInvalidValue);
  std::memset(value, 0, 8);
  return kSuccess;
}

int cudaDeviceSetGraphMemAttribute(int, int, void* value) {
  return check(value != nullptr, kInvalidValue);
}
int cudaDeviceGraphMemTrim(int device) {
  return check(device >= 0 && device < device_count(), kInvalidDevice);
}
