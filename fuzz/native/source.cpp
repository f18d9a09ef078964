// CUDA C++ source that a program gives to NVRTC.
#include "nvrtc/source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  maya::nvrtc::find_kernels(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
