// Pools of stream-ordered memory: one object for runtime and driver, as their types are one.
//
// A pool here is a name and its settings: all pools draw on the device's one store of memory, and what is
// freed goes back to it at once, as under a release threshold of zero.
#pragma once

#include "maya/handles.h"

namespace maya {

struct PoolSettings {
  int device = 0;
  int allocation_type = 1;  // pinned
  int handle_types = 0;
  uint64_t max_size = 0;
};

MAYA_EXPORT Handle* create_pool(const PoolSettings& settings);
// False for the default pool of a device, and for what is no pool.
MAYA_EXPORT bool destroy_pool(void* pool);
MAYA_EXPORT Handle* find_pool(void* pool);

MAYA_EXPORT Handle* default_pool(int device);
MAYA_EXPORT Handle* current_pool(int device);
// False when the pool is of another device.
MAYA_EXPORT bool set_current_pool(int device, void* pool);
// The context of the device is gone, and its pools with it.
void forget_pools(int device);

// CUmemPool_attribute, whose numbers cudaMemPoolAttr shares. False where the attribute cannot be set (so) or
// read.
MAYA_EXPORT bool set_pool_attribute(Handle& pool, int attribute, const void* value);
MAYA_EXPORT bool get_pool_attribute(const Handle& pool, int attribute, void* value);

}  // namespace maya
