// Which kernels are an optimiser's, by their names.
#pragma once

#include "steps/work.h"

namespace maya {

Update update_by_name(const char* mangled);

}  // namespace maya
