// Matrix products whose types are arguments: GemmEx, GemmStridedBatchedEx, GemmBatchedEx, SgemmEx, CgemmEx.
#include "gemm.h"
#include "gen/cublas.h"

using namespace maya;
using namespace maya::cublas;

namespace {
constexpr int kDefaultAlgorithm = -1;
}

#define SCHEMA(name) MAYA_LIBRARY_SCHEMA(schema, #name, MAYA_GEMM_FIELDS)

#define GEMM_EX(name, Int)                                                                                 \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const void* alpha, const void* a,    \
           int a_type, Int lda, const void* b, int b_type, Int ldb, const void* beta, void* c, int c_type, \
           Int ldc, int compute, int algo) {                                                               \
    SCHEMA(name);                                                                                          \
    return multiply(schema, handle,                                                                        \
                    {transa,                                                                               \
                     transb,                                                                               \
                     m,                                                                                    \
                     n,                                                                                    \
                     k,                                                                                    \
                     alpha,                                                                                \
                     {a, a_type, lda, 0},                                                                  \
                     {b, b_type, ldb, 0},                                                                  \
                     beta,                                                                                 \
                     {c, c_type, ldc, 0},                                                                  \
                     1,                                                                                    \
                     compute,                                                                              \
                     algo,                                                                                 \
                     false});                                                                              \
  }

#define GEMM_STRIDED_EX(name, Int)                                                                          \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const void* alpha, const void* a,     \
           int a_type, Int lda, long long stride_a, const void* b, int b_type, Int ldb, long long stride_b, \
           const void* beta, void* c, int c_type, Int ldc, long long stride_c, Int batch, int compute,      \
           int algo) {                                                                                      \
    SCHEMA(name);                                                                                           \
    return multiply(schema, handle,                                                                         \
                    {transa,                                                                                \
                     transb,                                                                                \
                     m,                                                                                     \
                     n,                                                                                     \
                     k,                                                                                     \
                     alpha,                                                                                 \
                     {a, a_type, lda, stride_a},                                                            \
                     {b, b_type, ldb, stride_b},                                                            \
                     beta,                                                                                  \
                     {c, c_type, ldc, stride_c},                                                            \
                     batch,                                                                                 \
                     compute,                                                                               \
                     algo,                                                                                  \
                     false});                                                                               \
  }

#define GEMM_BATCHED_EX(name, Int)                                                                    \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const void* alpha,              \
           const void* const* a, int a_type, Int lda, const void* const* b, int b_type, Int ldb,      \
           const void* beta, void* const* c, int c_type, Int ldc, Int batch, int compute, int algo) { \
    SCHEMA(name);                                                                                     \
    return multiply(schema, handle,                                                                   \
                    {transa,                                                                          \
                     transb,                                                                          \
                     m,                                                                               \
                     n,                                                                               \
                     k,                                                                               \
                     alpha,                                                                           \
                     {a, a_type, lda, 0},                                                             \
                     {b, b_type, ldb, 0},                                                             \
                     beta,                                                                            \
                     {c, c_type, ldc, 0},                                                             \
                     batch,                                                                           \
                     compute,                                                                         \
                     algo,                                                                            \
                     true});                                                                          \
  }

// The older form: operands of any type, computed in the type of the name.
#define GEMM_MIXED(name, Int, Scalar)                                                                        \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const Scalar* alpha, const void* a,    \
           int a_type, Int lda, const void* b, int b_type, Int ldb, const Scalar* beta, void* c, int c_type, \
           Int ldc) {                                                                                        \
    SCHEMA(name);                                                                                            \
    return multiply(schema, handle,                                                                          \
                    {transa,                                                                                 \
                     transb,                                                                                 \
                     m,                                                                                      \
                     n,                                                                                      \
                     k,                                                                                      \
                     alpha,                                                                                  \
                     {a, a_type, lda, 0},                                                                    \
                     {b, b_type, ldb, 0},                                                                    \
                     beta,                                                                                   \
                     {c, c_type, ldc, 0},                                                                    \
                     1,                                                                                      \
                     kCompute32F,                                                                            \
                     kDefaultAlgorithm,                                                                      \
                     false});                                                                                \
  }

GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)
GEMM_MIXED(cublasSgemmEx, int, float)
GEMM_MIXED(cublasSgemmEx_64, int64_t, float)
GEMM_MIXED(cublasCgemmEx, int, void)
GEMM_MIXED(cublasCgemmEx_64, int64_t, void)
GEMM_MIXED(cublasCgemm3mEx, int, void)
GEMM_MIXED(cublasCgemm3mEx_64, int64_t, void)
