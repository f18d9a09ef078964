// What the cuDNN test programs share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "cudart.h"
#include "cudnn.h"

inline void print_last_error() {
  char why[512] = "";
  cudnnGetLastErrorString(why, sizeof why);
  std::fprintf(stderr, "last cuDNN error: %s\n", why);
}

#define EXPLAIN_FAILURE() print_last_error()
#include "../expect.h"

#define OK(call) CHECK((call) == 0)

inline void* device(size_t bytes) {
  void* at = nullptr;
  CHECK(cudaMalloc(&at, bytes) == 0);
  return at;
}

inline void* library() {
  void* handle = nullptr;
  OK(cudnnCreate(&handle));
  return handle;
}

inline void* tensor(int type, std::vector<int> dims) {
  void* desc = nullptr;
  OK(cudnnCreateTensorDescriptor(&desc));
  OK(cudnnSetTensorNdDescriptorEx(desc, 0, type, static_cast<int>(dims.size()), dims.data()));
  return desc;
}

enum DataType { kFloat = 0, kHalf = 2, kInt32 = 4, kBfloat16 = 9 };
constexpr int kBadParam = 2000, kNullPointer = 2002, kNotFinalized = 2004, kNotInitialized = 1001;
constexpr int kNotSupported = 3000;
inline int category(int status) {
  return status / 1000 * 1000;
}
