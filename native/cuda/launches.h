// Kernel launches, shared by the plain entry points, their per-thread twins and graph nodes.
#pragma once

#include "maya/kernels.h"
#include "support.h"

namespace maya::driver {

int status_of(LaunchResult result);
// Onto a stream already found, which may be one that only collects graph nodes.
int launch_onto(Function& function, const LaunchShape& shape, void** arguments, void** extra, Stream& stream);
int launch_checked(void* function, const LaunchShape& shape, void* stream, void** arguments, void** extra);
// Shape with the attributes of an extended launch; kInvalidValue where one is malformed.
int read_config(const LaunchConfig& config, LaunchShape* shape);

}  // namespace maya::driver
