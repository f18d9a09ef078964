#include "maya/memory.h"

#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/graph.h"
#include "status.h"

using namespace maya;

namespace {

enum MemoryType : int { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };

struct PointerAttributes {
  int type;
  int device;
  const void* device_pointer;
  const void* host_pointer;
  long reserved[8];  // CUDA 13 only
};

constexpr size_t kPointerAttributesBytes = MAYA_CUDA_MAJOR >= 13 ? 88 : 24;

// PyTorch's allocator asks the driver again after freeing its cache when it sees this code.
int allocate_or_fail(void** address, size_t bytes) {
  if (int error = ready()) return fail(error);
  if (!address) return fail(kInvalidValue);
  if (bytes == 0) return *address = nullptr, kSuccess;
  if (capture_forbids_unsafe_calls()) return fail(kStreamCaptureUnsupported);
  *address = allocate(current_device(), bytes);
  return check(*address != nullptr, kMemoryAllocation);
}

int allocate_host_or_fail(void** address, size_t bytes, MemoryKind kind, unsigned flags) {
  if (int error = ready()) return fail(error);
  if (!address) return fail(kInvalidValue);
  if (bytes == 0) return *address = nullptr, kSuccess;
  *address = allocate_host(bytes, kind, flags);
  return check(*address != nullptr, kMemoryAllocation);
}

int memory_type(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pinned:
    case MemoryKind::registered:
      return kHost;
    case MemoryKind::managed:
      return kManaged;
    default:
      return kDevice;
  }
}

}  // namespace

int cudaMalloc(void** address, size_t bytes) {
  Call call;
  return allocate_or_fail(address, bytes);
}

int cudaFree(void* address) {
  Call call;
  if (int error = ready()) return fail(error);
  if (!address) {
    ensure_context(current_device());
    return kSuccess;
  }
  // Managed memory is freed by the same call; both have fixed, disjoint address ranges.
  if (is_device_address(reinterpret_cast<uintptr_t>(address))) {
    return check(deallocate(address), kInvalidValue);
  }
  Allocation found;
  bool managed = find_allocation(address, &found) && found.kind == MemoryKind::managed;
  return check(managed && deallocate_host(address), kInvalidValue);
}

int cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return fail(kInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return allocate_or_fail(address, *pitch * height);
}

int cudaMalloc3D(void* pitched, maya_abi_cudaExtent extent) {
  auto* out = static_cast<maya_abi_cudaPitchedPtr*>(pitched);
  if (!out) return fail(kInvalidValue);
  size_t pitch = (extent.width + 511) / 512 * 512;
  out->pitch = pitch;
  out->xsize = extent.width;
  out->ysize = extent.height;
  return allocate_or_fail(&out->ptr, pitch * extent.height * extent.depth);
}

int cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (int error = ready()) return fail(error);
  if (!free_bytes || !total_bytes) return fail(kInvalidValue);
  memory_info(current_device(), free_bytes, total_bytes);
  return kSuccess;
}

int cudaMallocHost(void** address, size_t bytes) {
  return allocate_host_or_fail(address, bytes, MemoryKind::pinned, 0);
}

int cudaHostAlloc(void** address, size_t bytes, unsigned int flags) {
  return allocate_host_or_fail(address, bytes, MemoryKind::pinned, flags);
}

int cudaMallocManaged(void** address, size_t bytes, unsigned int flags) {
  if (flags != 1 && flags != 2) return fail(kInvalidValue);
  return allocate_host_or_fail(address, bytes, MemoryKind::managed, flags);
}

int cudaFreeHost(void* address) {
  if (int error = ready()) return fail(error);
  return address ? check(deallocate_host(address), kInvalidValue) : kSuccess;
}

int cudaHostRegister(void* address, size_t bytes, unsigned int flags) {
  if (int error = ready()) return fail(error);
  if (!address || !bytes) return fail(kInvalidValue);
  return check(register_host(address, bytes, flags), kHostMemoryAlreadyRegistered);
}

int cudaHostUnregister(void* address) {
  if (int error = ready()) return fail(error);
  return check(unregister_host(address), kHostMemoryNotRegistered);
}

int cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  if (int error = ready()) return fail(error);
  Allocation found;
  if (!device || flags || !find_allocation(host, &found)) return fail(kInvalidValue);
  *device = host;  // unified addressing: one address for both
  return kSuccess;
}

int cudaHostGetFlags(unsigned int* flags, void* host) {
  if (int error = ready()) return fail(error);
  Allocation found;
  if (!flags || !find_allocation(host, &found)) return fail(kInvalidValue);
  *flags = found.flags;
  return kSuccess;
}

int cudaPointerGetAttributes(void* attributes, const void* pointer) {
  if (int error = ready()) return fail(error);
  if (!attributes) return fail(kInvalidValue);
  PointerAttributes out{};
  Allocation found;
  out.device = -2;  // cudaInvalidDeviceId: ordinary host memory
  if (find_allocation(pointer, &found)) {
    out.type = memory_type(found.kind);
    out.device = found.device;
    out.device_pointer = pointer;
    out.host_pointer = out.type == kDevice ? nullptr : pointer;
  } else {
    out.host_pointer = MAYA_CUDA_MAJOR >= 13 ? nullptr : pointer;
  }
  std::memcpy(attributes, &out, kPointerAttributesBytes);
  return kSuccess;
}

#if MAYA_CUDA_MAJOR == 12
int cudaMemAdvise(const void* address, size_t count, int, int) {
#else
int cudaMemAdvise(const void* address, size_t count, int, maya_abi_cudaMemLocation) {
#endif
  if (int error = ready()) return fail(error);
  Allocation found;
  return check(count && find_allocation(address, &found), kInvalidValue);
}
