// Copies, shared by the plain entry points, their per-thread twins and graph nodes.
#pragma once

#include "support.h"

namespace maya::driver {

// What an operand must be: cuMemcpyHtoD refuses a host address as its target.
enum class Side { any, host, device };

int copy_checked(void* dst, Side dst_side, const void* src, Side src_side, size_t bytes, void* stream,
                 bool blocking);
int copy_2d_checked(const Copy2d* copy, void* stream, bool blocking);
int copy_3d_checked(const Copy3d* copy, void* stream, bool blocking);
// Onto a stream already found, which may be one that only collects graph nodes.
int copy_3d_onto(const Copy3d& copy, Stream& stream, bool blocking);

}  // namespace maya::driver
