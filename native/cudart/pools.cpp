// Stream-ordered allocation (cudaMallocAsync) and its pools.
#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/handles.h"
#include "maya/memory.h"
#include "status.h"

using namespace maya;

namespace {

constexpr int kPool = 1;
constexpr int kReleaseThreshold = 4;  // attributes 4..8 are 64-bit, 1..3 are int
constexpr int kLargestAttribute = 8;

Handle* pool_of(int device) {
  static Handle* defaults[64] = {};
  if (device < 0 || device >= 64) return nullptr;
  if (!defaults[device]) {
    defaults[device] = create_handle(Library::cudart, kPool);
    defaults[device]->device = device;
  }
  return defaults[device];
}

Handle* find_pool(void* pool) {
  return find_handle(pool, Library::cudart, kPool);
}

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
  return check(deallocate(address, MemoryKind::async, on.stream), kInvalidValue);
}

size_t attribute_bytes(int attribute) {
  return attribute >= kReleaseThreshold ? 8 : 4;
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
  *pool = pool_of(device);
  return kSuccess;
}

int cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

int cudaMemPoolCreate(void** pool, const void* properties) {
  if (int error = ready()) return fail(error);
  if (!pool || !properties) return fail(kInvalidValue);
  *pool = create_handle(Library::cudart, kPool);
  return kSuccess;
}

int cudaMemPoolDestroy(void* pool) {
  return check(destroy_handle(pool, Library::cudart), kInvalidValue);
}

int cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
  Handle* found = find_pool(pool);
  if (!found || !value || attribute < 1 || attribute > kLargestAttribute) return fail(kInvalidValue);
  set_attribute(*found, attribute, value, attribute_bytes(attribute));
  return kSuccess;
}

int cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
  Handle* found = find_pool(pool);
  if (!found || !value || attribute < 1 || attribute > kLargestAttribute) return fail(kInvalidValue);
  size_t bytes = attribute_bytes(attribute);
  std::memset(value, 0, bytes);
  if (const auto* stored = get_attribute(*found, attribute)) std::memcpy(value, stored->data(), bytes);
  return kSuccess;
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
