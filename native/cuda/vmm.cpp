// Virtual memory management: addresses, bytes, and the mapping of one to the other.
#include <sys/mman.h>
#include <unistd.h>

#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr int kPinned = 1;     // CU_MEM_ALLOCATION_TYPE_PINNED
constexpr int kReadWrite = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE

bool aligned(size_t bytes) {
  return bytes && bytes % kVmmGranularity == 0;
}

// What stands in the file behind an exported handle.
struct Exported {
  uint64_t magic;
  int pid, device;
  uint64_t handle;
  size_t bytes;
};
constexpr uint64_t kMagic = 0x4d4d564159414d00;

int export_descriptor(const Exported& exported) {
  const int file = memfd_create("maya-physical-memory", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (write(file, &exported, sizeof exported) == sizeof exported) return file;
  close(file);
  return -1;
}

int check_properties(const AllocationProperties& properties) {
  if (properties.type != kPinned) return kInvalidValue;
  if (properties.location.type != kLocationDevice) return kNotSupported;  // host memory through VMM
  if (!device_exists(properties.location.id)) return kInvalidDevice;
  return properties.requested_handles & ~kPosixDescriptor ? kNotSupported : kSuccess;
}

}  // namespace

extern "C" {

int cuMemGetAllocationGranularity(size_t* bytes, const void* properties, int) {
  if (int status = require_driver()) return status;
  if (!bytes || !properties) return kInvalidValue;
  *bytes = kVmmGranularity;
  return kSuccess;
}

int cuMemAddressReserve(unsigned long long* address, size_t bytes, size_t alignment, unsigned long long,
                        unsigned long long flags) {
  if (int status = require_driver()) return status;
  if (!address || !aligned(bytes) || (alignment & (alignment - 1)) || flags) return kInvalidValue;
  void* reserved = reserve_addresses(bytes, alignment);
  if (!reserved) return kOutOfMemory;
  *address = address_of(reserved);
  return kSuccess;
}

int cuMemAddressFree(unsigned long long address, size_t bytes) {
  if (int status = require_driver()) return status;
  return aligned(bytes) && release_addresses(pointer(address), bytes) ? kSuccess : kInvalidValue;
}

int cuMemCreate(unsigned long long* handle, size_t bytes, const void* properties, unsigned long long flags) {
  if (int status = require_driver()) return status;
  if (!handle || !properties || !aligned(bytes) || flags) return kInvalidValue;
  const auto& given = *static_cast<const AllocationProperties*>(properties);
  if (int status = check_properties(given)) return status;
  Call call;
  *handle = create_physical(given.location.id, bytes);
  return *handle ? kSuccess : kOutOfMemory;
}

int cuMemRelease(unsigned long long handle) {
  if (int status = require_driver()) return status;
  Call call;
  return release_physical(handle) ? kSuccess : kInvalidValue;
}

int cuMemMap(unsigned long long address, size_t bytes, size_t offset, unsigned long long handle,
             unsigned long long flags) {
  if (int status = require_driver()) return status;
  if (!aligned(bytes) || address % kVmmGranularity || offset || flags) return kInvalidValue;
  Call call;
  return map_physical(pointer(address), bytes, handle) ? kSuccess : kInvalidValue;
}

int cuMemUnmap(unsigned long long address, size_t bytes) {
  if (int status = require_driver()) return status;
  if (!aligned(bytes)) return kInvalidValue;
  Call call;
  return unmap_physical(pointer(address), bytes) ? kSuccess : kInvalidValue;
}

int cuMemSetAccess(unsigned long long address, size_t bytes, const void* descriptions, size_t count) {
  if (int status = require_driver()) return status;
  if (!aligned(bytes) || !descriptions || count == 0) return kInvalidValue;
  const auto* given = static_cast<const AccessDescription*>(descriptions);
  for (size_t i = 0; i < count; ++i) {
    if (given[i].location.type == kLocationDevice && !device_exists(given[i].location.id))
      return kInvalidDevice;
  }
  return mapped_physical(pointer(address)) ? kSuccess : kInvalidValue;
}

int cuMemGetAccess(unsigned long long* flags, const void* location, unsigned long long address) {
  if (int status = require_driver()) return status;
  if (!flags || !location) return kInvalidValue;
  *flags = mapped_physical(pointer(address)) ? kReadWrite : 0;
  return kSuccess;
}

int cuMemRetainAllocationHandle(unsigned long long* handle, void* address) {
  if (int status = require_driver()) return status;
  if (!handle) return kInvalidValue;
  *handle = mapped_physical(address);
  return *handle && retain_physical(*handle) ? kSuccess : kInvalidValue;
}

int cuMemGetAllocationPropertiesFromHandle(void* properties, unsigned long long handle) {
  if (int status = require_driver()) return status;
  size_t bytes = 0;
  int device = 0;
  if (!properties || !physical_size(handle, &bytes, &device)) return kInvalidValue;
  auto& answer = *static_cast<AllocationProperties*>(properties);
  answer = {};
  answer.type = kPinned;
  answer.requested_handles = kPosixDescriptor;
  answer.location = {kLocationDevice, device};
  return kSuccess;
}

int cuMemExportToShareableHandle(void* shareable, unsigned long long handle, int kind,
                                 unsigned long long flags) {
  if (int status = require_driver()) return status;
  if (kind != kPosixDescriptor) return kNotSupported;
  Exported exported{kMagic, getpid(), 0, handle, 0};
  if (!shareable || flags || !physical_size(handle, &exported.bytes, &exported.device)) return kInvalidValue;
  const int file = export_descriptor(exported);
  if (file < 0) return kOperatingSystem;
  *static_cast<int*>(shareable) = file;
  return kSuccess;
}

// In another process the bytes are counted there too: the device's free memory is one number for all
// processes.
int cuMemImportFromShareableHandle(unsigned long long* handle, void* shareable, int kind) {
  if (int status = require_driver()) return status;
  if (kind != kPosixDescriptor) return kNotSupported;
  Exported exported{};
  const int file = static_cast<int>(reinterpret_cast<intptr_t>(shareable));
  if (!handle || pread(file, &exported, sizeof exported, 0) != sizeof exported) return kInvalidValue;
  if (exported.magic != kMagic) return kInvalidValue;
  if (exported.pid == getpid()) {
    *handle = exported.handle;
    return retain_physical(exported.handle) ? kSuccess : kInvalidValue;
  }
  *handle =
      create_physical(exported.device < device_count() ? exported.device : current_device(), exported.bytes);
  return *handle ? kSuccess : kOutOfMemory;
}

}  // extern "C"
