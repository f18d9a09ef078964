// The C++ name of a kernel, and the function's own name in it.
#pragma once

#include <string>

namespace maya {

// Any name that is not mangled as it is.
std::string demangle(const char* mangled);

// `void a::b<c>::d<e>(f)` -> `d`.
std::string function_name(const std::string& demangled);

}  // namespace maya
