// Access between devices.
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

enum P2pAttribute : int {
  kPerformanceRank = 1,
  kAccess = 2,
  kNativeAtomics = 3,
  kArrayAccess = 4,
  kPartialAtomics = 5
};

}  // namespace

extern "C" {

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  if (int status = require_device(device)) return status;
  if (!device_exists(peer)) return kInvalidDevice;
  if (!can) return kInvalidValue;
  *can = device != peer;
  return kSuccess;
}

int cuDeviceGetP2PAttribute(int* value, int attribute, int source, int target) {
  if (int status = require_device(source)) return status;
  if (!device_exists(target)) return kInvalidDevice;
  if (!value || source == target) return source == target ? kInvalidDevice : kInvalidValue;
  const bool nvlink = device_model().nvlinks > 0;
  switch (attribute) {
    case kPerformanceRank:
      *value = nvlink ? 0 : 1;
      return kSuccess;
    case kAccess:
      *value = 1;
      return kSuccess;
    case kNativeAtomics:
      *value = nvlink;
      return kSuccess;
    case kArrayAccess:
      *value = 1;
      return kSuccess;
    case kPartialAtomics:
      *value = 0;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

int cuCtxEnablePeerAccess(void* peer_context, unsigned int flags) {
  if (int status = require_context()) return status;
  Context* peer = find_context(peer_context);
  if (!peer) return kInvalidContext;
  if (flags != 0) return kInvalidValue;
  const int device = current_device();
  if (peer->device == device) return kInvalidDevice;
  if (peer_access_enabled(device, peer->device)) return kPeerAccessAlreadyEnabled;
  set_peer_access(device, peer->device, true);
  return kSuccess;
}

int cuCtxDisablePeerAccess(void* peer_context) {
  if (int status = require_context()) return status;
  Context* peer = find_context(peer_context);
  if (!peer) return kInvalidContext;
  const int device = current_device();
  if (!peer_access_enabled(device, peer->device)) return kPeerAccessNotEnabled;
  set_peer_access(device, peer->device, false);
  return kSuccess;
}

}  // extern "C"
