// Devices: names, attributes, identity.
#include <cstdio>
#include <cstring>

#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

int attribute(int device, int number) {
  int value = 0;
  device_attribute(device, number, &value);
  return value;
}

}  // namespace

extern "C" {

int cuDeviceGet(int* device, int ordinal) {
  if (int status = require_driver()) return status;
  if (!device) return kInvalidValue;
  if (!device_exists(ordinal)) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  if (int status = require_driver()) return status;
  if (!count) return kInvalidValue;
  *count = device_count();
  return kSuccess;
}

int cuDeviceGetName(char* name, int length, int device) {
  if (int status = require_device(device)) return status;
  if (!name || length <= 0) return kInvalidValue;
  snprintf(name, static_cast<size_t>(length), "%s", device_model().name.c_str());
  return kSuccess;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  if (int status = require_device(device)) return status;
  if (!bytes) return kInvalidValue;
  *bytes = device_model().total_memory;
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int number, int device) {
  if (int status = require_device(device)) return status;
  if (!value) return kInvalidValue;
  return device_attribute(device, number, value) ? kSuccess : kInvalidValue;
}

int cuDeviceComputeCapability(int* major, int* minor, int device) {
  if (int status = require_device(device)) return status;
  if (!major || !minor) return kInvalidValue;
  *major = device_model().major;
  *minor = device_model().minor;
  return kSuccess;
}

int cuDeviceGetProperties(void* properties, int device) {
  if (int status = require_device(device)) return status;
  if (!properties) return kInvalidValue;
  auto& p = *static_cast<DeviceProperties*>(properties);
  p.max_threads_per_block = attribute(device, 1);
  for (int i = 0; i < 3; ++i) p.max_threads[i] = attribute(device, 2 + i);
  for (int i = 0; i < 3; ++i) p.max_grid[i] = attribute(device, 5 + i);
  p.shared_per_block = attribute(device, 8);
  p.constant_bytes = attribute(device, 9);
  p.warp = attribute(device, 10);
  p.max_pitch = attribute(device, 11);
  p.registers_per_block = attribute(device, 12);
  p.clock_khz = attribute(device, 13);
  p.texture_alignment = attribute(device, 14);
  return kSuccess;
}

int cuDeviceGetUuid_v2(void* uuid, int device) {
  if (int status = require_device(device)) return status;
  if (!uuid) return kInvalidValue;
  device_uuid(device, static_cast<unsigned char*>(uuid));
  return kSuccess;
}

int cuDeviceGetUuid(void* uuid, int device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

// Windows only; so answers the Linux driver.
int cuDeviceGetLuid(char*, unsigned int*, int device) {
  if (int status = require_device(device)) return status;
  return kNotSupported;
}

int cuDeviceGetPCIBusId(char* text, int length, int device) {
  if (int status = require_device(device)) return status;
  if (!text || length <= 0) return kInvalidValue;
  int domain = 0, bus = 0, slot = 0;
  device_pci(device, &domain, &bus, &slot);
  snprintf(text, static_cast<size_t>(length), "%04X:%02X:%02X.0", domain, bus, slot);
  return kSuccess;
}

int cuDeviceGetByPCIBusId(int* device, const char* text) {
  if (int status = require_driver()) return status;
  if (!device || !text) return kInvalidValue;
  unsigned domain = 0, bus = 0, slot = 0;
  if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
    domain = 0;
    if (sscanf(text, "%x:%x", &bus, &slot) != 2) return kInvalidValue;
  }
  for (int i = 0; i < device_count(); ++i) {
    int d = 0, b = 0, s = 0;
    device_pci(i, &d, &b, &s);
    if (static_cast<unsigned>(d) != domain || static_cast<unsigned>(b) != bus) continue;
    if (static_cast<unsigned>(s) != slot) continue;
    *device = i;
    return kSuccess;
  }
  return kInvalidDevice;
}

int cuDeviceGetExecAffinitySupport(int* supported, int, int device) {
  if (int status = require_device(device)) return status;
  if (!supported) return kInvalidValue;
  *supported = 0;
  return kSuccess;
}

int cuDeviceGetTexture1DLinearMaxWidth(size_t* width, int, unsigned int, int device) {
  if (int status = require_device(device)) return status;
  if (!width) return kInvalidValue;
  *width = size_t{1} << 28;
  return kSuccess;
}

}  // extern "C"
