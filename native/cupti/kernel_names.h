// Names under which device work appears in a profile.
#pragma once

#include "maya/runtime.h"

namespace maya::cupti {

// Valid for the life of the process.
const char* kernel_name(const Activity& activity);

}  // namespace maya::cupti
