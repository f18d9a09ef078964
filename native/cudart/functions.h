// Kernels as the runtime API names them: the host stub's address, or a handle from the library calls.
#pragma once

#include "maya/kernels.h"

namespace maya {

inline Function* function_of(const void* symbol) {
  Function* function = registered_function(symbol);
  return function ? function : find_function(const_cast<void*>(symbol));
}

}  // namespace maya
