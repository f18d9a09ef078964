#include <cstdio>
#include <cstring>

#include "gen/cudart.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/memory.h"
#include "status.h"

using namespace maya;

namespace {

constexpr int kRuntimeVersion = MAYA_CUDA_MAJOR == 12 ? 12080 : 13020;
constexpr int kDriverVersion = 13020;

bool valid_device(int device) {
  return device >= 0 && device < device_count();
}

}  // namespace

int cudaGetDeviceCount(int* count) {
  if (!count) return fail(kInvalidValue);
  *count = 0;
  if (int error = ready()) return fail(error);
  *count = device_count();
  return kSuccess;
}

int cudaGetDevice(int* device) {
  if (!device) return fail(kInvalidValue);
  if (int error = ready()) return fail(error);
  *device = current_device();
  return kSuccess;
}

int cudaSetDevice(int device) {
  if (int error = ready()) return fail(error);
  if (!set_current_device(device)) return fail(kInvalidDevice);
  ensure_context(device);
  set_current_context(primary_context(device));
  return kSuccess;
}

int cudaInitDevice(int device, unsigned int, unsigned int) {
  if (int error = ready()) return fail(error);
  if (!valid_device(device)) return fail(kInvalidDevice);
  ensure_context(device);
  return kSuccess;
}

int cudaDeviceGetAttribute(int* value, int attr, int device) {
  if (int error = ready()) return fail(error);
  if (!value) return fail(kInvalidValue);
  if (!valid_device(device)) return fail(kInvalidDevice);
  return check(device_attribute(device, attr, value), kInvalidValue);
}

int cudaChooseDevice(int* device, const void*) {
  if (int error = ready()) return fail(error);
  if (!device) return fail(kInvalidValue);
  *device = 0;
  return kSuccess;
}

int cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (int error = ready()) return fail(error);
  if (!text || length <= 0) return fail(kInvalidValue);
  if (!valid_device(device)) return fail(kInvalidDevice);
  int domain, bus, slot;
  device_pci(device, &domain, &bus, &slot);
  std::snprintf(text, static_cast<size_t>(length), "%04x:%02x:%02x.0", domain, bus, slot);
  return kSuccess;
}

int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (int error = ready()) return fail(error);
  if (!device || !text) return fail(kInvalidValue);
  for (int i = 0; i < device_count(); ++i) {
    char own[32];
    cudaDeviceGetPCIBusId(own, sizeof own, i);
    if (strcasecmp(own, text) == 0) return *device = i, kSuccess;
  }
  return fail(kInvalidDevice);
}

int cudaDeviceSynchronize() {
  if (int error = ready()) return fail(error);
  return check(synchronize_device(current_device()), kStreamCaptureUnsupported);
}

int cudaDeviceReset() {
  if (int error = ready()) return fail(error);
  reset_device(current_device());
  return kSuccess;
}

int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (int error = ready()) return fail(error);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return kSuccess;
}

int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (int error = ready()) return fail(error);
  if (!can) return fail(kInvalidValue);
  if (!valid_device(device) || !valid_device(peer)) return fail(kInvalidDevice);
  *can = device != peer;
  return kSuccess;
}

int cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  if (int error = ready()) return fail(error);
  if (flags) return fail(kInvalidValue);
  int device = current_device();
  if (!valid_device(peer) || peer == device) return fail(kInvalidDevice);
  if (peer_access_enabled(device, peer)) return fail(kPeerAccessAlreadyEnabled);
  set_peer_access(device, peer, true);
  return kSuccess;
}

int cudaDeviceDisablePeerAccess(int peer) {
  if (int error = ready()) return fail(error);
  int device = current_device();
  if (!valid_device(peer)) return fail(kInvalidDevice);
  if (!peer_access_enabled(device, peer)) return fail(kPeerAccessNotEnabled);
  set_peer_access(device, peer, false);
  return kSuccess;
}

int cudaDeviceGetP2PAttribute(int* value, int attr, int source, int destination) {
  if (int error = ready()) return fail(error);
  if (!value || attr < 1 || attr > 4) return fail(kInvalidValue);
  if (!valid_device(source) || !valid_device(destination)) return fail(kInvalidDevice);
  // 1 performance rank, 2 access, 3 native atomics, 4 arrays
  bool linked = device_model().nvlinks > 0;
  *value = attr == 1 ? 0 : attr == 3 ? linked : source != destination;
  return kSuccess;
}

namespace {
// By cudaLimit number, as a device has them before a program sets any.
constexpr size_t kDefaultLimits[] = {1024, 7 << 20, 8 << 20, 2, 2048, 128, 0};
constexpr int kLimits = sizeof kDefaultLimits / sizeof *kDefaultLimits;

// Settings belong to the device's context, which the driver API shares.
Context& settings() {
  ensure_context(current_device());
  return *primary_context(current_device());
}
}  // namespace

int cudaDeviceGetLimit(size_t* value, int limit) {
  if (int error = ready()) return fail(error);
  if (!value || limit < 0 || limit >= kLimits) return fail(kInvalidValue);
  size_t set = settings().limits[limit];
  *value = set ? set : kDefaultLimits[limit];
  return kSuccess;
}

int cudaDeviceSetLimit(int limit, size_t value) {
  if (int error = ready()) return fail(error);
  if (limit < 0 || limit >= kLimits) return fail(kInvalidValue);
  settings().limits[limit] = value;
  return kSuccess;
}

int cudaGetDeviceFlags(unsigned int* flags) {
  if (int error = ready()) return fail(error);
  if (!flags) return fail(kInvalidValue);
  *flags = settings().flags;
  return kSuccess;
}

int cudaSetDeviceFlags(unsigned int flags) {
  if (int error = ready()) return fail(error);
  settings().flags = flags;
  return kSuccess;
}

int cudaDeviceGetCacheConfig(int* config) {
  if (int error = ready()) return fail(error);
  if (!config) return fail(kInvalidValue);
  *config = settings().cache_config;
  return kSuccess;
}

int cudaDeviceSetCacheConfig(int config) {
  if (int error = ready()) return fail(error);
  settings().cache_config = config;
  return kSuccess;
}

// The width of shared memory's banks cannot be changed on any GPU since compute capability 5.0.
int cudaDeviceGetSharedMemConfig(int* config) {
  if (int error = ready()) return fail(error);
  if (!config) return fail(kInvalidValue);
  *config = 1;  // four bytes
  return kSuccess;
}

int cudaDeviceSetSharedMemConfig(int) {
  return ready() ? fail(ready()) : kSuccess;
}

int cudaCtxResetPersistingL2Cache() {
  return kSuccess;
}

int cudaRuntimeGetVersion(int* version) {
  if (!version) return fail(kInvalidValue);
  *version = kRuntimeVersion;
  return kSuccess;
}

int cudaDriverGetVersion(int* version) {
  if (!version) return fail(kInvalidValue);
  *version = kDriverVersion;
  return kSuccess;
}

int cudaProfilerStart() {
  return kSuccess;
}
int cudaProfilerStop() {
  return kSuccess;
}
