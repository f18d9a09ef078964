// Matrix products whose types are in the function's name: Sgemm, ZgemmBatched, HgemmStridedBatched, ...
#include "gemm.h"
#include "gen/cublas.h"

using namespace maya;
using namespace maya::cublas;
using namespace maya::mathlibs;

namespace {
constexpr int kDefaultAlgorithm = -1;
}

#define SCHEMA(name) MAYA_LIBRARY_SCHEMA(schema, #name, MAYA_GEMM_FIELDS)

// `Int` is int, or int64_t in the _64 variants; `Scalar` is void where the header's type is a struct.
#define GEMM(name, Int, Scalar, type, compute)                                                              \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const Scalar* alpha, const Scalar* a, \
           Int lda, const Scalar* b, Int ldb, const Scalar* beta, Scalar* c, Int ldc) {                     \
    SCHEMA(name);                                                                                           \
    return multiply(schema, handle,                                                                         \
                    {transa,                                                                                \
                     transb,                                                                                \
                     m,                                                                                     \
                     n,                                                                                     \
                     k,                                                                                     \
                     alpha,                                                                                 \
                     {a, type, lda, 0},                                                                     \
                     {b, type, ldb, 0},                                                                     \
                     beta,                                                                                  \
                     {c, type, ldc, 0},                                                                     \
                     1,                                                                                     \
                     compute,                                                                               \
                     kDefaultAlgorithm,                                                                     \
                     false});                                                                               \
  }

#define GEMM_STRIDED(name, Int, Scalar, type, compute)                                                      \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const Scalar* alpha, const Scalar* a, \
           Int lda, long long stride_a, const Scalar* b, Int ldb, long long stride_b, const Scalar* beta,   \
           Scalar* c, Int ldc, long long stride_c, Int batch) {                                             \
    SCHEMA(name);                                                                                           \
    return multiply(schema, handle,                                                                         \
                    {transa,                                                                                \
                     transb,                                                                                \
                     m,                                                                                     \
                     n,                                                                                     \
                     k,                                                                                     \
                     alpha,                                                                                 \
                     {a, type, lda, stride_a},                                                              \
                     {b, type, ldb, stride_b},                                                              \
                     beta,                                                                                  \
                     {c, type, ldc, stride_c},                                                              \
                     batch,                                                                                 \
                     compute,                                                                               \
                     kDefaultAlgorithm,                                                                     \
                     false});                                                                               \
  }

#define GEMM_BATCHED(name, Int, Scalar, type, compute)                                                       \
  int name(void* handle, int transa, int transb, Int m, Int n, Int k, const Scalar* alpha,                   \
           const void* const* a, Int lda, const void* const* b, Int ldb, const Scalar* beta, void* const* c, \
           Int ldc, Int batch) {                                                                             \
    SCHEMA(name);                                                                                            \
    return multiply(schema, handle,                                                                          \
                    {transa,                                                                                 \
                     transb,                                                                                 \
                     m,                                                                                      \
                     n,                                                                                      \
                     k,                                                                                      \
                     alpha,                                                                                  \
                     {a, type, lda, 0},                                                                      \
                     {b, type, ldb, 0},                                                                      \
                     beta,                                                                                   \
                     {c, type, ldc, 0},                                                                      \
                     batch,                                                                                  \
                     compute,                                                                                \
                     kDefaultAlgorithm,                                                                      \
                     true});                                                                                 \
  }

#define BOTH_WIDTHS(Macro, name, ...) Macro(name, int, __VA_ARGS__) Macro(name##_64, int64_t, __VA_ARGS__)

BOTH_WIDTHS(GEMM, cublasSgemm_v2, float, kR32F, kCompute32F)
BOTH_WIDTHS(GEMM, cublasDgemm_v2, double, kR64F, kCompute64F)
BOTH_WIDTHS(GEMM, cublasCgemm_v2, void, kC32F, kCompute32F)
BOTH_WIDTHS(GEMM, cublasZgemm_v2, void, kC64F, kCompute64F)
BOTH_WIDTHS(GEMM, cublasHgemm, void, kR16F, kCompute16F)
BOTH_WIDTHS(GEMM, cublasCgemm3m, void, kC32F, kCompute32F)
BOTH_WIDTHS(GEMM, cublasZgemm3m, void, kC64F, kCompute64F)

BOTH_WIDTHS(GEMM_STRIDED, cublasSgemmStridedBatched, float, kR32F, kCompute32F)
BOTH_WIDTHS(GEMM_STRIDED, cublasDgemmStridedBatched, double, kR64F, kCompute64F)
BOTH_WIDTHS(GEMM_STRIDED, cublasCgemmStridedBatched, void, kC32F, kCompute32F)
BOTH_WIDTHS(GEMM_STRIDED, cublasZgemmStridedBatched, void, kC64F, kCompute64F)
BOTH_WIDTHS(GEMM_STRIDED, cublasHgemmStridedBatched, void, kR16F, kCompute16F)
BOTH_WIDTHS(GEMM_STRIDED, cublasCgemm3mStridedBatched, void, kC32F, kCompute32F)

BOTH_WIDTHS(GEMM_BATCHED, cublasSgemmBatched, float, kR32F, kCompute32F)
BOTH_WIDTHS(GEMM_BATCHED, cublasDgemmBatched, double, kR64F, kCompute64F)
BOTH_WIDTHS(GEMM_BATCHED, cublasCgemmBatched, void, kC32F, kCompute32F)
BOTH_WIDTHS(GEMM_BATCHED, cublasZgemmBatched, void, kC64F, kCompute64F)
BOTH_WIDTHS(GEMM_BATCHED, cublasHgemmBatched, void, kR16F, kCompute16F)
BOTH_WIDTHS(GEMM_BATCHED, cublasCgemm3mBatched, void, kC32F, kCompute32F)
