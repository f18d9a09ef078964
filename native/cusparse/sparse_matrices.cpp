// Sparse matrices of the generic interface, in all formats; `Const` variants differ in their types only.
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

// Pointers, types and sizes that CSR, CSC and COO share.
SpMat compressed(int format, int64_t rows, int64_t cols, int64_t nnz, const void* offsets,
                 const void* indices, const void* values, int offsets_type, int index_type, int base,
                 int value_type) {
  SpMat matrix;
  matrix.format = format;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.nnz = nnz;
  matrix.offsets = const_cast<void*>(offsets);
  matrix.indices = const_cast<void*>(indices);
  matrix.values = const_cast<void*>(values);
  matrix.offsets_type = offsets_type;
  matrix.index_type = index_type;
  matrix.index_base = base;
  matrix.value_type = value_type;
  return matrix;
}

int create_matrix(const void** out, const SpMat& matrix) {
  if (matrix.rows < 0 || matrix.cols < 0 || matrix.nnz < 0) return kInvalidValue;
  return create(const_cast<void**>(out), matrix);
}

int create_matrix(void** out, const SpMat& matrix) {
  return create_matrix(const_cast<const void**>(out), matrix);
}

template <typename Pointer>
int get_compressed(const void* object, int format, int64_t* rows, int64_t* cols, int64_t* nnz,
                   Pointer* offsets, Pointer* indices, Pointer* values, int* offsets_type, int* index_type,
                   int* base, int* value_type) {
  SpMat matrix;
  if (!read(object, &matrix) || matrix.format != format) return kInvalidValue;
  put(rows, matrix.rows);
  put(cols, matrix.cols);
  put(nnz, matrix.nnz);
  put<Pointer>(offsets, matrix.offsets);
  put<Pointer>(indices, matrix.indices);
  put<Pointer>(values, matrix.values);
  put(offsets_type, matrix.offsets_type);
  put(index_type, matrix.index_type);
  put(base, matrix.index_base);
  put(value_type, matrix.value_type);
  return kSuccess;
}

int set_pointers(void* object, void* offsets, void* indices, void* values) {
  return update<SpMat>(object, [=](SpMat& matrix) {
    matrix.offsets = offsets;
    matrix.indices = indices;
    matrix.values = values;
  });
}

int set_batch(void* object, int batch, int64_t offsets_stride, int64_t values_stride) {
  if (batch < 1) return kInvalidValue;
  return update<SpMat>(object, [=](SpMat& matrix) {
    matrix.batch = batch;
    matrix.offsets_stride = offsets_stride;
    matrix.values_stride = values_stride;
  });
}

}  // namespace

#define COMPRESSED(name, infix, format, Pointer)                                                          \
  int cusparseCreate##infix##name(Pointer* out, int64_t rows, int64_t cols, int64_t nnz, Pointer offsets, \
                                  Pointer indices, Pointer values, int offsets_type, int index_type,      \
                                  int base, int value_type) {                                             \
    return create_matrix(out, compressed(format, rows, cols, nnz, offsets, indices, values, offsets_type, \
                                         index_type, base, value_type));                                  \
  }                                                                                                       \
  int cusparse##infix##name##Get(Pointer object, int64_t* rows, int64_t* cols, int64_t* nnz,              \
                                 Pointer* offsets, Pointer* indices, Pointer* values, int* offsets_type,  \
                                 int* index_type, int* base, int* value_type) {                           \
    return get_compressed(object, format, rows, cols, nnz, offsets, indices, values, offsets_type,        \
                          index_type, base, value_type);                                                  \
  }

COMPRESSED(Csr, , kCsr, void*)
COMPRESSED(Csr, Const, kCsr, const void*)
COMPRESSED(Csc, , kCsc, void*)
COMPRESSED(Csc, Const, kCsc, const void*)

#define COORDINATES(infix, Pointer)                                                                          \
  int cusparseCreate##infix##Coo(Pointer* out, int64_t rows, int64_t cols, int64_t nnz, Pointer row_indices, \
                                 Pointer indices, Pointer values, int index_type, int base,                  \
                                 int value_type) {                                                           \
    return create_matrix(out, compressed(kCoo, rows, cols, nnz, row_indices, indices, values, index_type,    \
                                         index_type, base, value_type));                                     \
  }                                                                                                          \
  int cusparse##infix##CooGet(Pointer object, int64_t* rows, int64_t* cols, int64_t* nnz,                    \
                              Pointer* row_indices, Pointer* indices, Pointer* values, int* index_type,      \
                              int* base, int* value_type) {                                                  \
    return get_compressed<Pointer>(object, kCoo, rows, cols, nnz, row_indices, indices, values, nullptr,     \
                                   index_type, base, value_type);                                            \
  }

COORDINATES(, void*)
COORDINATES(Const, const void*)

#define BLOCK_ROWS(infix, Pointer)                                                                           \
  int cusparseCreate##infix##Bsr(Pointer* out, int64_t rows, int64_t cols, int64_t blocks,                   \
                                 int64_t block_rows, int64_t block_cols, Pointer offsets, Pointer indices,   \
                                 Pointer values, int offsets_type, int index_type, int base, int value_type, \
                                 int order) {                                                                \
    SpMat matrix = compressed(kBsr, rows * block_rows, cols * block_cols, blocks * block_rows * block_cols,  \
                              offsets, indices, values, offsets_type, index_type, base, value_type);         \
    matrix.block_rows = block_rows;                                                                          \
    matrix.block_cols = block_cols;                                                                          \
    matrix.block_order = order;                                                                              \
    return create_matrix(out, matrix);                                                                       \
  }

BLOCK_ROWS(, void*)
BLOCK_ROWS(Const, const void*)

#define BLOCKED_ELL(infix, Pointer)                                                                         \
  int cusparseCreate##infix##BlockedEll(Pointer* out, int64_t rows, int64_t cols, int64_t block,            \
                                        int64_t ell_cols, Pointer indices, Pointer values, int index_type,  \
                                        int base, int value_type) {                                         \
    SpMat matrix = compressed(kBlockedEll, rows, cols, rows * ell_cols, nullptr, indices, values,           \
                              index_type, index_type, base, value_type);                                    \
    matrix.block_rows = matrix.block_cols = block;                                                          \
    matrix.ell_cols = ell_cols;                                                                             \
    return create_matrix(out, matrix);                                                                      \
  }                                                                                                         \
  int cusparse##infix##BlockedEllGet(Pointer object, int64_t* rows, int64_t* cols, int64_t* block,          \
                                     int64_t* ell_cols, Pointer* indices, Pointer* values, int* index_type, \
                                     int* base, int* value_type) {                                          \
    SpMat matrix;                                                                                           \
    if (!read(object, &matrix) || matrix.format != kBlockedEll) return kInvalidValue;                       \
    put(block, matrix.block_rows);                                                                          \
    put(ell_cols, matrix.ell_cols);                                                                         \
    return get_compressed<Pointer>(object, kBlockedEll, rows, cols, nullptr, nullptr, indices, values,      \
                                   nullptr, index_type, base, value_type);                                  \
  }

BLOCKED_ELL(, void*)
BLOCKED_ELL(Const, const void*)

#define SLICED_ELL(infix, Pointer)                                                                      \
  int cusparseCreate##infix##SlicedEll(Pointer* out, int64_t rows, int64_t cols, int64_t nnz, int64_t,  \
                                       int64_t slice, Pointer offsets, Pointer indices, Pointer values, \
                                       int offsets_type, int index_type, int base, int value_type) {    \
    SpMat matrix = compressed(kSlicedEll, rows, cols, nnz, offsets, indices, values, offsets_type,      \
                              index_type, base, value_type);                                            \
    matrix.block_rows = slice;                                                                          \
    return create_matrix(out, matrix);                                                                  \
  }

SLICED_ELL(, void*)
SLICED_ELL(Const, const void*)

int cusparseDestroySpMat(const void* matrix) {
  return destroy(matrix, kSparseMatrix);
}

int cusparseCsrSetPointers(void* matrix, void* offsets, void* indices, void* values) {
  return set_pointers(matrix, offsets, indices, values);
}

int cusparseCscSetPointers(void* matrix, void* offsets, void* indices, void* values) {
  return set_pointers(matrix, offsets, indices, values);
}

int cusparseCooSetPointers(void* matrix, void* rows, void* indices, void* values) {
  return set_pointers(matrix, rows, indices, values);
}

int cusparseCooSetStridedBatch(void* matrix, int batch, int64_t stride) {
  return set_batch(matrix, batch, stride, stride);
}

int cusparseCsrSetStridedBatch(void* matrix, int batch, int64_t offsets_stride, int64_t values_stride) {
  return set_batch(matrix, batch, offsets_stride, values_stride);
}

int cusparseBsrSetStridedBatch(void* matrix, int batch, int64_t offsets_stride, int64_t,
                               int64_t values_stride) {
  return set_batch(matrix, batch, offsets_stride, values_stride);
}

// One member of the matrix, into the caller's variable.
#define GETTER(name, Object, Out, member)             \
  int name(Object object, Out* out) {                 \
    SpMat matrix;                                     \
    if (!read(object, &matrix)) return kInvalidValue; \
    put<Out>(out, matrix.member);                     \
    return kSuccess;                                  \
  }

GETTER(cusparseSpMatGetFormat, const void*, int, format)
GETTER(cusparseSpMatGetIndexBase, const void*, int, index_base)
GETTER(cusparseSpMatGetStridedBatch, const void*, int, batch)
GETTER(cusparseSpMatGetValues, void*, void*, values)
GETTER(cusparseConstSpMatGetValues, const void*, const void*, values)

int cusparseSpMatSetValues(void* object, void* values) {
  return update<SpMat>(object, [=](SpMat& matrix) { matrix.values = values; });
}

int cusparseSpMatGetSize(const void* object, int64_t* rows, int64_t* cols, int64_t* nnz) {
  SpMat matrix;
  if (!read(object, &matrix)) return kInvalidValue;
  put(rows, matrix.rows);
  put(cols, matrix.cols);
  put(nnz, matrix.nnz);
  return kSuccess;
}

// Attribute 0 is the fill mode, 1 the diagonal's type.
int cusparseSpMatSetAttribute(void* object, int attribute, void* data, size_t bytes) {
  if (!data || bytes != sizeof(int) || attribute < 0 || attribute > 1) return kInvalidValue;
  const int value = *static_cast<int*>(data);
  return update<SpMat>(object,
                       [=](SpMat& matrix) { (attribute ? matrix.diag_type : matrix.fill_mode) = value; });
}

int cusparseSpMatGetAttribute(const void* object, int attribute, void* data, size_t bytes) {
  SpMat matrix;
  if (!read(object, &matrix)) return kInvalidValue;
  if (!data || bytes != sizeof(int) || attribute < 0 || attribute > 1) return kInvalidValue;
  *static_cast<int*>(data) = attribute ? matrix.diag_type : matrix.fill_mode;
  return kSuccess;
}
