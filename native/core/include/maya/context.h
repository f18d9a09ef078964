// Contexts of the driver API. The runtime knows devices only; both share the calling thread's current device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/record.h"

namespace maya {

struct Context {
  int device = 0;
  bool primary = false;
  bool alive = true;  // a destroyed context may still stand on other threads' stacks
  unsigned flags = 0;
  unsigned api_version = 3020;  // of the entry point that made it, as the driver reports
  uint64_t id = 0;
  int retained = 0;             // cuDevicePrimaryCtxRetain
  bool made_by_driver = false;  // the primary context came to life by a retain, not by the runtime
  int cache_config = 0;
  size_t limits[10] = {};        // by CUlimit number; 0 where the program never set one
  void* default_pool = nullptr;  // of the device, kept in its primary context
  void* pool = nullptr;          // the device's current pool
};

// cuInit.
MAYA_EXPORT void start_driver();
// What every call of the runtime does: starts the driver, and lets the calling thread work in primary
// contexts without setting one.
MAYA_EXPORT void initialise_driver();
MAYA_EXPORT bool driver_initialised();

// Always the same object for a device; whether it is alive is has_context().
MAYA_EXPORT Context* primary_context(int device);
MAYA_EXPORT Context* create_context(int device, unsigned flags);
// False when `handle` is not a context that create_context made.
MAYA_EXPORT bool destroy_context(void* handle);
MAYA_EXPORT Context* find_context(void* handle);

// The calling thread's stack of contexts. Null where the thread has none.
MAYA_EXPORT Context* current_context();
MAYA_EXPORT void set_current_context(Context* context);
MAYA_EXPORT void push_context(Context* context);
MAYA_EXPORT Context* pop_context();

// The number of the context that what the calling thread makes on `device` belongs to; 0: the primary one.
uint64_t owning_context(int device);

}  // namespace maya
