// What every entry point checks before it acts.
#pragma once

#include "constants.h"
#include "gen/cuda.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/record.h"
#include "maya/stream.h"
#include "structs.h"

namespace maya::driver {

inline void* pointer(DevicePtr address) {
  return reinterpret_cast<void*>(address);
}
inline DevicePtr address_of(const void* p) {
  return reinterpret_cast<DevicePtr>(p);
}

inline bool device_exists(int device) {
  return device >= 0 && device < device_count();
}

// kSuccess where the driver is initialised. A child forked from an initialised parent is not.
inline int require_driver() {
  return driver_initialised() && usable_in_this_process() ? kSuccess : kNotInitialized;
}

inline int require_device(int device) {
  if (int status = require_driver()) return status;
  return device_exists(device) ? kSuccess : kInvalidDevice;
}

inline int require_context() {
  if (int status = require_driver()) return status;
  Context* context = current_context();
  if (!context) return kInvalidContext;
  return context->alive ? kSuccess : kContextIsDestroyed;
}

// A context and a stream in it; `stream` is set where the answer is kSuccess.
inline int require_stream(void* handle, Stream** stream) {
  if (int status = require_context()) return status;
  *stream = find_stream(handle);
  return *stream ? kSuccess : kInvalidHandle;
}

}  // namespace maya::driver
