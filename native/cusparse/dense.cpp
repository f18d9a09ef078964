// Dense matrices, dense vectors and sparse vectors of the generic interface.
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

int create_matrix(void** out, int64_t rows, int64_t cols, int64_t ld, const void* values, int type,
                  int order) {
  const bool by_column = order == 1;
  if (rows < 0 || cols < 0 || ld < (by_column ? rows : cols)) return kInvalidValue;
  DnMat matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.ld = ld;
  matrix.values = const_cast<void*>(values);
  matrix.value_type = type;
  matrix.order = order;
  return create(out, matrix);
}

int create_vector(void** out, int64_t size, const void* values, int type) {
  if (size < 0) return kInvalidValue;
  DnVec vector;
  vector.size = size;
  vector.values = const_cast<void*>(values);
  vector.value_type = type;
  return create(out, vector);
}

int create_sparse_vector(void** out, int64_t size, int64_t nnz, const void* indices, const void* values,
                         int index_type, int base, int type) {
  if (size < 0 || nnz < 0 || nnz > size) return kInvalidValue;
  SpVec vector;
  vector.size = size;
  vector.nnz = nnz;
  vector.indices = const_cast<void*>(indices);
  vector.values = const_cast<void*>(values);
  vector.index_type = index_type;
  vector.index_base = base;
  vector.value_type = type;
  return create(out, vector);
}

}  // namespace

// The `Const` variants differ in their types only.
#define DENSE(infix, Pointer)                                                                                \
  int cusparseCreate##infix##DnMat(Pointer* out, int64_t rows, int64_t cols, int64_t ld, Pointer values,     \
                                   int type, int order) {                                                    \
    return create_matrix(const_cast<void**>(out), rows, cols, ld, values, type, order);                      \
  }                                                                                                          \
  int cusparse##infix##DnMatGet(Pointer object, int64_t* rows, int64_t* cols, int64_t* ld, Pointer* values,  \
                                int* type, int* order) {                                                     \
    DnMat matrix;                                                                                            \
    if (!read(object, &matrix)) return kInvalidValue;                                                        \
    put(rows, matrix.rows);                                                                                  \
    put(cols, matrix.cols);                                                                                  \
    put(ld, matrix.ld);                                                                                      \
    put<Pointer>(values, matrix.values);                                                                     \
    put(type, matrix.value_type);                                                                            \
    put(order, matrix.order);                                                                                \
    return kSuccess;                                                                                         \
  }                                                                                                          \
  int cusparseCreate##infix##DnVec(Pointer* out, int64_t size, Pointer values, int type) {                   \
    return create_vector(const_cast<void**>(out), size, values, type);                                       \
  }                                                                                                          \
  int cusparse##infix##DnVecGet(Pointer object, int64_t* size, Pointer* values, int* type) {                 \
    DnVec vector;                                                                                            \
    if (!read(object, &vector)) return kInvalidValue;                                                        \
    put(size, vector.size);                                                                                  \
    put<Pointer>(values, vector.values);                                                                     \
    put(type, vector.value_type);                                                                            \
    return kSuccess;                                                                                         \
  }                                                                                                          \
  int cusparseCreate##infix##SpVec(Pointer* out, int64_t size, int64_t nnz, Pointer indices, Pointer values, \
                                   int index_type, int base, int type) {                                     \
    return create_sparse_vector(const_cast<void**>(out), size, nnz, indices, values, index_type, base,       \
                                type);                                                                       \
  }                                                                                                          \
  int cusparse##infix##SpVecGet(Pointer object, int64_t* size, int64_t* nnz, Pointer* indices,               \
                                Pointer* values, int* index_type, int* base, int* type) {                    \
    SpVec vector;                                                                                            \
    if (!read(object, &vector)) return kInvalidValue;                                                        \
    put(size, vector.size);                                                                                  \
    put(nnz, vector.nnz);                                                                                    \
    put<Pointer>(indices, vector.indices);                                                                   \
    put<Pointer>(values, vector.values);                                                                     \
    put(index_type, vector.index_type);                                                                      \
    put(base, vector.index_base);                                                                            \
    put(type, vector.value_type);                                                                            \
    return kSuccess;                                                                                         \
  }

DENSE(, void*)
DENSE(Const, const void*)

#define VALUES(Object)                                                                         \
  int cusparse##Object##GetValues(void* object, void** values) {                               \
    Object state;                                                                              \
    if (!read(object, &state)) return kInvalidValue;                                           \
    put(values, state.values);                                                                 \
    return kSuccess;                                                                           \
  }                                                                                            \
  int cusparseConst##Object##GetValues(const void* object, const void** values) {              \
    return cusparse##Object##GetValues(const_cast<void*>(object), const_cast<void**>(values)); \
  }                                                                                            \
  int cusparse##Object##SetValues(void* object, void* values) {                                \
    return update<Object>(object, [=](Object& state) { state.values = values; });              \
  }                                                                                            \
  int cusparseDestroy##Object(const void* object) {                                            \
    return destroy(object, Object::kType);                                                     \
  }

VALUES(DnMat)
VALUES(DnVec)
VALUES(SpVec)

int cusparseSpVecGetIndexBase(const void* object, int* base) {
  SpVec vector;
  if (!read(object, &vector)) return kInvalidValue;
  put(base, vector.index_base);
  return kSuccess;
}

int cusparseDnMatSetStridedBatch(void* object, int batch, int64_t stride) {
  if (batch < 1) return kInvalidValue;
  return update<DnMat>(object, [=](DnMat& matrix) {
    matrix.batch = batch;
    matrix.stride = stride;
  });
}

int cusparseDnMatGetStridedBatch(const void* object, int* batch, int64_t* stride) {
  DnMat matrix;
  if (!read(object, &matrix)) return kInvalidValue;
  put(batch, matrix.batch);
  put(stride, matrix.stride);
  return kSuccess;
}
