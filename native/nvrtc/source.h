// Kernels found in CUDA C++ source by reading, not by compiling.
#pragma once

#include <string>
#include <vector>

namespace maya::nvrtc {

struct Parameter {
  std::string type;  // as written, without the name
  size_t bytes = 0;  // 0 where the source's own types would have to be understood
  size_t alignment = 1;
};

struct Kernel {
  std::string name;
  bool extern_c = false;
  bool is_template = false;
  int max_threads = 0;  // __launch_bounds__, 0 where none
  std::vector<Parameter> parameters;
};

std::vector<Kernel> find_kernels(const std::string& source);

// Size and alignment of a type that can be told from its name; false for the program's own.
bool size_of_type(const std::string& source, const std::string& type, size_t* bytes, size_t* alignment);

}  // namespace maya::nvrtc
