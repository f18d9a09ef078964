// Movement of managed memory.
#include <cstring>

#include "maya/memory.h"
#include "maya/values.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr int kCpu = -1;

// Recorded as the copy that the migration is.
int prefetch(DevicePtr address, size_t bytes, bool to_device, void* handle) {
  static const char* const fields[] = {"bytes", "direction", "async", "pageable", "rows"};
  static Schema schema{"prefetch", Kind::copy, fields, 5};
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Allocation found;
  if (!bytes || !find_allocation(pointer(address), &found)) return kInvalidValue;
  if (found.kind != MemoryKind::managed) return kInvalidValue;
  Call call;
  const auto direction = to_device ? CopyDirection::host_to_device : CopyDirection::device_to_host;
  submit(schema, {static_cast<int64_t>(bytes), static_cast<int64_t>(direction), 1, 0, 1}, *stream, address,
         address);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuMemPrefetchAsync(unsigned long long address, size_t bytes, int device, void* stream) {
  if (device != kCpu && !device_exists(device)) return kInvalidDevice;
  return prefetch(address, bytes, device != kCpu, stream);
}

int cuMemPrefetchAsync_v2(unsigned long long address, size_t bytes, maya_abi_CUmemLocation location,
                          unsigned int, void* stream) {
  MemoryLocation where;
  static_assert(sizeof where == sizeof location);
  memcpy(&where, &location, sizeof where);
  const bool to_device = where.type == kLocationDevice;
  if (to_device && !device_exists(where.id)) return kInvalidDevice;
  return prefetch(address, bytes, to_device, stream);
}

}  // extern "C"
