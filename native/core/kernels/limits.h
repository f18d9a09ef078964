// What a device refuses to launch.
#pragma once

#include "maya/kernels.h"

namespace maya {

LaunchResult check_limits(const Function& function, const KernelFacts& facts, const LaunchShape& shape);

}  // namespace maya
