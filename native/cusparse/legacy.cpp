// The older interface: matrix descriptors, solver information, and the numbers it gives back to the host.
#include <algorithm>
#include <climits>

#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

int cusparseCreateMatDescr(void** descriptor) {
  return create(descriptor, LegacyMatrix{});
}

int cusparseDestroyMatDescr(void* descriptor) {
  return destroy(descriptor, kLegacyMatrix);
}

#define MATRIX_PROPERTY(name, member)                                                                  \
  int cusparseSet##name(void* descriptor, int value) {                                                 \
    return update<LegacyMatrix>(descriptor, [value](LegacyMatrix& matrix) { matrix.member = value; }); \
  }                                                                                                    \
  int cusparseGet##name(void* descriptor) {                                                            \
    LegacyMatrix matrix;                                                                               \
    read(descriptor, &matrix);                                                                         \
    return matrix.member;                                                                              \
  }

MATRIX_PROPERTY(MatType, type)
MATRIX_PROPERTY(MatFillMode, fill_mode)
MATRIX_PROPERTY(MatDiagType, diag_type)
MATRIX_PROPERTY(MatIndexBase, index_base)

namespace {

enum Info : int {
  kBsrsv2 = kInfo,
  kBsrsm2,
  kCsric02,
  kBsric02,
  kCsrilu02,
  kBsrilu02,
  kCsru2csr,
  kColor,
  kPrune
};

struct Nothing {
  int unused = 0;
};

// No row without a pivot: -1. Which it would be the device would have to say.
int no_zero_pivot(void* handle, void* info, int type, int* position) {
  Handle* context = find_context(handle);
  if (!context) return kNotInitialized;
  if (!cusparse::find(info, type) || !position) return kInvalidValue;
  if (!mathlibs::deliver(position, sizeof *position, stream_of(*context))) return kExecutionFailed;
  const int none = -1;
  poke(position, &none, sizeof none);
  return kSuccess;
}

}  // namespace

#define INFO(name, type)                        \
  int cusparseCreate##name##Info(void** info) { \
    return create(info, Nothing{}, type);       \
  }                                             \
  int cusparseDestroy##name##Info(void* info) { \
    return destroy(info, type);                 \
  }

#define PIVOT(name, type)                                                    \
  int cusparseX##name##_zeroPivot(void* handle, void* info, int* position) { \
    return no_zero_pivot(handle, info, type, position);                      \
  }

INFO(Bsrsv2, kBsrsv2)
INFO(Bsrsm2, kBsrsm2)
INFO(Csric02, kCsric02)
INFO(Bsric02, kBsric02)
INFO(Csrilu02, kCsrilu02)
INFO(Bsrilu02, kBsrilu02)
INFO(Csru2csr, kCsru2csr)
INFO(Color, kColor)
INFO(Prune, kPrune)

PIVOT(bsrsv2, kBsrsv2)
PIVOT(bsrsm2, kBsrsm2)
PIVOT(csric02, kCsric02)
PIVOT(bsric02, kBsric02)
PIVOT(csrilu02, kCsrilu02)
PIVOT(bsrilu02, kBsrilu02)

// The sum of two sparse matrices: no entry of one is taken to meet an entry of the other.
int cusparseXcsrgeam2Nnz(void* handle, int m, int n, void*, int nnz_a, const int*, const int*, void*,
                         int nnz_b, const int*, const int*, void*, int* row_offsets, int* nnz, void*) {
  Handle* context = find_context(handle);
  if (!context) return kNotInitialized;
  if (m < 0 || n < 0 || nnz_a < 0 || nnz_b < 0 || !nnz) return kInvalidValue;
  MAYA_LIBRARY_SCHEMA(schema, "cusparseXcsrgeam2Nnz", "m", "n", "nnz_a", "nnz_b");
  submit(schema, {m, n, nnz_a, nnz_b}, stream_of(*context));
  inform("the number of non-zeros of a sum of sparse matrices (cusparseXcsrgeam2Nnz) is its upper bound");
  const int64_t bound = std::min<int64_t>({int64_t{nnz_a} + nnz_b, int64_t{m} * n, INT_MAX});
  const int value = static_cast<int>(bound);
  forget(row_offsets);
  poke(nnz, &value, sizeof value);
  return kSuccess;
}

// Incomplete factorisations: levels of the rows' dependencies, as for a triangular solve.
#define SCRATCH(name, Scalar, arguments, entries)                        \
  int cusparse##name##_bufferSize(arguments(Scalar), int* bytes) {       \
    if (!find_context(handle)) return kNotInitialized;                   \
    if (!bytes) return kInvalidValue;                                    \
    *bytes = static_cast<int>(std::min<int64_t>(entries, INT_MAX));      \
    return kSuccess;                                                     \
  }                                                                      \
  int cusparse##name##_bufferSizeExt(arguments(Scalar), size_t* bytes) { \
    if (!find_context(handle)) return kNotInitialized;                   \
    if (!bytes) return kInvalidValue;                                    \
    *bytes = static_cast<size_t>(entries);                               \
    return kSuccess;                                                     \
  }
#define CSR_ARGUMENTS(Scalar) void *handle, int m, int nnz, void *, Scalar *, const int *, const int *, void *
#define BSR_ARGUMENTS(Scalar) \
  void *handle, int, int m, int nnz, void *, Scalar *, const int *, const int *, int, void *
#define SCRATCH_BYTES (4 * int64_t{nnz} + 16 * int64_t{m} + 1024)

#define FACTORISATION(letter, Scalar)                             \
  SCRATCH(letter##csric02, Scalar, CSR_ARGUMENTS, SCRATCH_BYTES)  \
  SCRATCH(letter##csrilu02, Scalar, CSR_ARGUMENTS, SCRATCH_BYTES) \
  SCRATCH(letter##bsric02, Scalar, BSR_ARGUMENTS, SCRATCH_BYTES)  \
  SCRATCH(letter##bsrilu02, Scalar, BSR_ARGUMENTS, SCRATCH_BYTES)

FACTORISATION(S, float)
FACTORISATION(D, double)
FACTORISATION(C, void)
FACTORISATION(Z, void)

#define SPARSE_VECTOR_SCRATCH(letter)                                                        \
  int cusparse##letter##gemvi_bufferSize(void* handle, int, int m, int n, int, int* bytes) { \
    if (!find_context(handle)) return kNotInitialized;                                       \
    if (!bytes) return kInvalidValue;                                                        \
    *bytes = static_cast<int>(std::min<int64_t>(16 * (int64_t{m} + n) + 1024, INT_MAX));     \
    return kSuccess;                                                                         \
  }

SPARSE_VECTOR_SCRATCH(S)
SPARSE_VECTOR_SCRATCH(D)
SPARSE_VECTOR_SCRATCH(C)
SPARSE_VECTOR_SCRATCH(Z)
