// Modules: fat binaries, cubins and PTX, as a program hands them over.
#include <cstring>

#include "maya/fatbin.h"

namespace {

constexpr uint32_t kWrapper = 0x466243b1;  // its pointer is the program's, never a file's
constexpr int kDevices[] = {80, 90, 100};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint32_t magic = 0;
  if (size < sizeof magic) return 0;
  std::memcpy(&magic, data, sizeof magic);
  if (magic == kWrapper) return 0;
  for (const int sm : kDevices) {
    std::string error;
    const auto module = maya::parse_module(data, size, sm, &error);
    if (!module && error.empty()) __builtin_trap();
  }
  return 0;
}
