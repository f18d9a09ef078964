// What the test programs of the mathematical libraries share.
#pragma once

#include <vector>

#include "../expect.h"
#include "cudart.h"

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
