// Pools by memory location, the form of CUDA 13. Only devices have pools here.
#include "support.h"

using namespace maya::driver;

namespace {

int device_of(const void* location, int* device) {
  if (!location) return kInvalidValue;
  const auto& given = *static_cast<const MemoryLocation*>(location);
  if (given.type != kLocationDevice) return kNotSupported;
  *device = given.id;
  return kSuccess;
}

}  // namespace

extern "C" {

int cuMemGetDefaultMemPool(void** pool, void* location, int) {
  int device = 0;
  if (int status = device_of(location, &device)) return status;
  return cuDeviceGetDefaultMemPool(pool, device);
}

int cuMemGetMemPool(void** pool, void* location, int) {
  int device = 0;
  if (int status = device_of(location, &device)) return status;
  return cuDeviceGetMemPool(pool, device);
}

int cuMemSetMemPool(void* location, int, void* pool) {
  int device = 0;
  if (int status = device_of(location, &device)) return status;
  return cuDeviceSetMemPool(device, pool);
}

}  // extern "C"
