// One matrix product, whichever of cuBLAS's sixty entry points stated it.
#pragma once

#include "mathlibs/data_types.h"
#include "state.h"

namespace maya::cublas {

struct Operand {
  const void* data;
  int type;
  int64_t ld;
  int64_t stride;
};

struct Gemm {
  int transa, transb;
  int64_t m, n, k;
  const void* alpha;
  Operand a, b;
  const void* beta;
  Operand c;
  int64_t batch;
  int compute;
  int algo;
  bool pointer_arrays;  // operands are arrays of `batch` device pointers
};

#define MAYA_GEMM_FIELDS                                                                                    \
  "m", "n", "k", "batch", "transa", "transb", "lda", "ldb", "ldc", "stride_a", "stride_b", "stride_c",      \
      "a_type", "b_type", "c_type", "compute_type", "algo", "math_mode", "pointer_mode", "sm_count_target", \
      "beta_nonzero"

// Checks, records and answers as the real library would.
int multiply(Schema& schema, void* handle, const Gemm& gemm);

// Bytes of alpha and beta.
size_t scalar_bytes(int compute, int a_type);

}  // namespace maya::cublas
