// Names of kernels as the compiler would write them into the image.
#pragma once

#include <string>

#include "source.h"

namespace maya::nvrtc {

// Exact for functions of plain types; where a parameter's type is the program's own, "(...)" stands for all
// of them.
std::string mangled(const Kernel& kernel);

// Of a name expression such as "&ns::scale<float, 4>". `kernel` is what it names, or null where the source
// read did not show it; then the name alone is kept.
std::string lowered(const std::string& expression, const Kernel* kernel);

// "&ns::scale<float, 4>" -> "scale".
std::string base_name(const std::string& expression);

}  // namespace maya::nvrtc
