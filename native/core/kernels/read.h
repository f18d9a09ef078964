// Numbers and addresses in a kernel's parameters, which need not be aligned.
#pragma once

#include <cstring>

namespace maya {

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace maya
