// The one context of each device that the runtime uses too.
#include "support.h"

using namespace maya;
using namespace maya::driver;

extern "C" {

int cuDevicePrimaryCtxRetain(void** handle, int device) {
  if (int status = require_device(device)) return status;
  if (!handle) return kInvalidValue;
  Context* context = primary_context(device);
  if (!has_context(device)) context->made_by_driver = true;
  ensure_context(device);
  ++context->retained;
  *handle = context;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (int status = require_device(device)) return status;
  Context* context = primary_context(device);
  if (context->retained == 0) return kInvalidContext;
  // The runtime holds a reference of its own to a context that it made.
  if (--context->retained == 0 && context->made_by_driver) reset_device(device);
  return kSuccess;
}

int cuDevicePrimaryCtxReset_v2(int device) {
  if (int status = require_device(device)) return status;
  reset_device(device);
  return kSuccess;
}

int cuDevicePrimaryCtxGetState(int device, unsigned int* flags, int* active) {
  if (int status = require_device(device)) return status;
  if (!flags || !active) return kInvalidValue;
  *flags = primary_context(device)->flags;
  *active = has_context(device);
  return kSuccess;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned int flags) {
  if (int status = require_device(device)) return status;
  primary_context(device)->flags = flags;
  return kSuccess;
}

}  // extern "C"
