// Device memory is address space: reserved, accounted, not committed until small host data is stored in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/record.h"

namespace maya {

enum class MemoryKind : uint8_t { device, async, pinned, managed, vmm, registered };

struct Allocation {
  uintptr_t address = 0;
  size_t bytes = 0;
  int device = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
  uint64_t id = 0;
  uint64_t context = 0;  // number of the context it belongs to; 0: the primary one
};

// nullptr when the device is full. Records an alloc event; the default argument says nothing to the
// recorder's user: the schema's `what` is derived from the kind.
MAYA_EXPORT void* allocate(int device, size_t bytes, MemoryKind kind = MemoryKind::device,
                           Stream* stream = nullptr);
// False when `address` is not the start of an allocation of device memory.
MAYA_EXPORT bool deallocate(void* address, Stream* stream = nullptr);

// Host memory: page-locked (cudaHostAlloc) and managed. Really backed, committed on touch.
MAYA_EXPORT void* allocate_host(size_t bytes, MemoryKind kind, unsigned flags);
MAYA_EXPORT bool deallocate_host(void* address);
MAYA_EXPORT bool register_host(void* address, size_t bytes, unsigned flags);
MAYA_EXPORT bool unregister_host(void* address);

// The allocation (of any kind) that holds `address`; false when it is ordinary host memory.
MAYA_EXPORT bool find_allocation(const void* address, Allocation* found);
// Where the memory that holds `address` ends: an allocation, or mapped pieces that follow one another without
// a gap (PyTorch's expandable segments). 0 when it lies in none.
MAYA_EXPORT uintptr_t end_of_memory(uintptr_t address);
// Range check without a lock: does the address lie in the reserved device address space?
MAYA_EXPORT bool is_device_address(uintptr_t address);

MAYA_EXPORT void memory_info(int device, size_t* free_bytes, size_t* total_bytes);

// Virtual memory management (cuMemAddressReserve, cuMemCreate, cuMemMap): addresses and bytes apart.
MAYA_EXPORT void* reserve_addresses(size_t bytes, size_t alignment);
MAYA_EXPORT bool release_addresses(void* address, size_t bytes);
// A physical handle, 0 when the device is full.
MAYA_EXPORT uint64_t create_physical(int device, size_t bytes);
MAYA_EXPORT bool release_physical(uint64_t handle);
MAYA_EXPORT bool map_physical(void* address, size_t bytes, uint64_t handle);
MAYA_EXPORT bool unmap_physical(void* address, size_t bytes);
MAYA_EXPORT bool physical_size(uint64_t handle, size_t* bytes, int* device);
// One more owner of the handle; false when it is unknown.
MAYA_EXPORT bool retain_physical(uint64_t handle);
// Memory of another process, at addresses of our own. It counts: both see one device's free memory.
MAYA_EXPORT void* open_shared(int device, size_t bytes);
MAYA_EXPORT bool close_shared(void* address);
// Everything that belongs to a context of this device, page-locked host memory too.
void release_context_memory(int device, uint64_t context);
// The handle mapped at `address`, 0 where none is.
MAYA_EXPORT uint64_t mapped_physical(const void* address);

}  // namespace maya
