// Names of kernels, which come from modules.
#include <string>

#include "kernels/family.h"
#include "kernels/names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string name(reinterpret_cast<const char*>(data), size);
  maya::function_name(maya::demangle(name.c_str()));
  maya::family_of(name.c_str());
  maya::names_optimizer(name.c_str());
  return 0;
}
