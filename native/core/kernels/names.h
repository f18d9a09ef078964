// The C++ name of a kernel, and the function's own name in it.
#pragma once

#include <string>

namespace maya {

// Any name that is not mangled as it is, and so are those that nobody could read: what comes from a file may
// be made to keep the demangler busy for ever, or to fill all memory.
std::string demangle(const char* mangled);

// `void a::b<c>::d<e>(f)` -> `d`.
std::string function_name(const std::string& demangled);

}  // namespace maya
