// Grouped matrix products: groups of different shapes in one launch, described by arrays on the host.
//
// The shapes are the record's blob: per group nine int64 (m, n, k, batch, transa, transb, lda, ldb, ldc).
#include <vector>

#include "gemm.h"
#include "gen/cublas.h"

using namespace maya;
using namespace maya::cublas;
using namespace maya::mathlibs;

namespace {

template <typename Int>
struct Groups {
  const int *transa, *transb;
  const Int *m, *n, *k, *lda, *ldb, *ldc;
  const Int* size;
  Int count;
};

struct Types {
  int a, b, c, compute;
};

template <typename Int>
bool complete(const Groups<Int>& groups) {
  if (groups.count < 0) return false;
  if (groups.count == 0) return true;
  return groups.transa && groups.transb && groups.m && groups.n && groups.k && groups.lda && groups.ldb &&
         groups.ldc && groups.size;
}

template <typename Int>
int multiply_groups(Schema& schema, void* handle, const Groups<Int>& groups, const Types& types,
                    const void* c) {
  Call call;
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!complete(groups)) return kInvalidValue;
  std::vector<int64_t> shapes;
  int64_t batch = 0;
  for (Int g = 0; g < groups.count; g++) {
    if (groups.m[g] < 0 || groups.n[g] < 0 || groups.k[g] < 0 || groups.size[g] < 0) return kInvalidValue;
    shapes.insert(shapes.end(), {groups.m[g], groups.n[g], groups.k[g], groups.size[g], groups.transa[g],
                                 groups.transb[g], groups.lda[g], groups.ldb[g], groups.ldc[g]});
    batch += groups.size[g];
  }
  if (batch == 0) return kSuccess;
  const State state = state_of(*found);
  submit(schema, {groups.count, batch, types.a, types.b, types.c, types.compute, state.math_mode},
         stream_of(*found), 0, 0, {shapes.data(), shapes.size() * sizeof(int64_t)});
  forget_each(c, batch);
  return kSuccess;
}

}  // namespace

#define SCHEMA(name)                                                                                  \
  MAYA_LIBRARY_SCHEMA(schema, #name, "groups", "batch", "a_type", "b_type", "c_type", "compute_type", \
                      "math_mode")

#define GROUPED(name, Int, Scalar, type, compute)                                                        \
  int name(void* handle, const int* transa, const int* transb, const Int* m, const Int* n, const Int* k, \
           const Scalar*, const void* const*, const Int* lda, const void* const*, const Int* ldb,        \
           const Scalar*, void* const* c, const Int* ldc, Int count, const Int* size) {                  \
    SCHEMA(name);                                                                                        \
    return multiply_groups<Int>(schema, handle, {transa, transb, m, n, k, lda, ldb, ldc, size, count},   \
                                {type, type, type, compute}, c);                                         \
  }

#define GROUPED_EX(name, Int)                                                                            \
  int name(void* handle, const int* transa, const int* transb, const Int* m, const Int* n, const Int* k, \
           const void*, const void* const*, int a_type, const Int* lda, const void* const*, int b_type,  \
           const Int* ldb, const void*, void* const* c, int c_type, const Int* ldc, Int count,           \
           const Int* size, int compute) {                                                               \
    SCHEMA(name);                                                                                        \
    return multiply_groups<Int>(schema, handle, {transa, transb, m, n, k, lda, ldb, ldc, size, count},   \
                                {a_type, b_type, c_type, compute}, c);                                   \
  }

GROUPED(cublasSgemmGroupedBatched, int, float, kR32F, kCompute32F)
GROUPED(cublasSgemmGroupedBatched_64, int64_t, float, kR32F, kCompute32F)
GROUPED(cublasDgemmGroupedBatched, int, double, kR64F, kCompute64F)
GROUPED(cublasDgemmGroupedBatched_64, int64_t, double, kR64F, kCompute64F)
GROUPED_EX(cublasGemmGroupedBatchedEx, int)
GROUPED_EX(cublasGemmGroupedBatchedEx_64, int64_t)
