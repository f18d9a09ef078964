// A matrix product as cuBLASLt's descriptors state it.
#pragma once

#include "descriptors.h"

namespace maya::cublaslt {

struct Problem {
  const Matmul* matmul = nullptr;
  const Layout* a = nullptr;
  const Layout* b = nullptr;
  const Layout* c = nullptr;
  const Layout* d = nullptr;
  int64_t m = 0, n = 0, k = 0, batch = 1;
};

// kSuccess, kInvalidValue where the shapes contradict each other, or kNotSupported where no kernel of this
// device could do it.
int understand(const void* matmul, const void* a, const void* b, const void* c, const void* d,
               Problem* problem);

// A cuBLAS handle serves as a cuBLASLt handle too: programs cast one to the other.
inline bool is_handle(void* handle) {
  return mathlibs::find(handle, Library::cublasLt, 0) || mathlibs::find(handle, Library::cublas, 0);
}

}  // namespace maya::cublaslt
