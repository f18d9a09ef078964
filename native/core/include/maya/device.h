// The emulated GPUs of this process.
#pragma once

#include <cstdint>
#include <string>

#include "maya/record.h"

namespace maya {

// Facts of a GPU model as the driver would report them; read from the file MAYA_DEVICE_FILE names.
struct DeviceModel {
  std::string name = "NVIDIA H100 80GB HBM3";
  int major = 9;
  int minor = 0;
  int sm_count = 132;
  int clock_khz = 1980000;
  int memory_clock_khz = 2619000;
  int memory_bus_bits = 5120;
  uint64_t total_memory = 85017755648;
  uint64_t context_bytes = 549453824;
  int l2_bytes = 52428800;
  int shared_per_sm = 233472;
  int shared_per_block = 49152;
  int shared_per_block_optin = 232448;
  int regs_per_sm = 65536;
  int regs_per_block = 65536;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int ecc = 1;
  int tcc = 0;
  int pci_gen = 5;
  int nvlinks = 18;
  int power_limit_mw = 700000;
  int sm() const { return major * 10 + minor; }
};

MAYA_EXPORT const DeviceModel& device_model();
// GPUs this process may see, after CUDA_VISIBLE_DEVICES.
MAYA_EXPORT int device_count();
// Position on the node of the GPU that the program calls `device`.
MAYA_EXPORT int physical_device(int device);

// The calling thread's current device.
MAYA_EXPORT int current_device();
MAYA_EXPORT bool set_current_device(int device);

// Creates the context of `device` (memory overhead, default stream) if it has none yet.
MAYA_EXPORT void ensure_context(int device);
MAYA_EXPORT bool has_context(int device);
// Frees all that belongs to the device's primary context, and ends it.
MAYA_EXPORT void reset_device(int device);
void forget_context(int device);

// False in a child forked after CUDA was initialised: there the real runtime refuses every call.
MAYA_EXPORT bool usable_in_this_process();

// Every attribute by its CUdevice_attribute number (the runtime's numbers are the same); false when unknown.
MAYA_EXPORT bool device_attribute(int device, int attribute, int* value);
// 16 bytes, stable per physical device.
MAYA_EXPORT void device_uuid(int device, unsigned char uuid[16]);
// "0000:1B:00.0"-like address parts.
MAYA_EXPORT void device_pci(int device, int* domain, int* bus, int* slot);

MAYA_EXPORT bool peer_access_enabled(int device, int peer);
MAYA_EXPORT void set_peer_access(int device, int peer, bool enabled);

}  // namespace maya
