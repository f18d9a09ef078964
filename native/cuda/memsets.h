// Memsets, shared by the plain entry points, their per-thread twins and graph nodes.
#pragma once

#include "support.h"

namespace maya::driver {

int memset_checked(DevicePtr dst, uint32_t value, size_t element, size_t count, void* stream);
int memset_2d_checked(const MemsetNode& memset, void* stream);
int memset_2d_onto(const MemsetNode& memset, Stream& stream);

}  // namespace maya::driver
