// What the test programs of the mathematical libraries share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cudart.h"

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

// As CHECK, for a status: a failure shows the number that came instead.
#define EXPECT(expected, call)                                                         \
  do {                                                                                 \
    const int status_ = (call);                                                        \
    if (status_ != (expected)) {                                                       \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, status_); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)

constexpr int kHostToDevice = 1;
constexpr int kDeviceToHost = 2;

// Device memory that holds `values`.
template <typename T>
T* upload(const std::vector<T>& values) {
  void* at = nullptr;
  CHECK(cudaMalloc(&at, values.size() * sizeof(T)) == 0);
  CHECK(cudaMemcpy(at, values.data(), values.size() * sizeof(T), kHostToDevice) == 0);
  return static_cast<T*>(at);
}

template <typename T>
std::vector<T> download(const T* at, size_t count) {
  std::vector<T> values(count, T(99));
  CHECK(cudaMemcpy(values.data(), at, count * sizeof(T), kDeviceToHost) == 0);
  return values;
}

template <typename T>
T* device(size_t count) {
  void* at = nullptr;
  CHECK(cudaMalloc(&at, count * sizeof(T)) == 0);
  return static_cast<T*>(at);
}
