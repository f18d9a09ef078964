// Between sparse and dense, and operations on sparse vectors.
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

struct Pair {
  Handle* context = nullptr;
  SpMat sparse;
  DnMat dense;
};

int understand(void* handle, const void* sparse, const void* dense, Pair* pair) {
  pair->context = find_context(handle);
  if (!pair->context) return kNotInitialized;
  return read(sparse, &pair->sparse) && read(dense, &pair->dense) ? kSuccess : kInvalidValue;
}

void record(Schema& schema, const Pair& pair, int algorithm) {
  submit(schema,
         {pair.sparse.format, pair.dense.rows, pair.dense.cols, pair.sparse.nnz, pair.dense.value_type,
          pair.sparse.value_type, pair.sparse.index_type, pair.dense.order, pair.dense.ld, pair.dense.batch,
          algorithm},
         stream_of(*pair.context));
}

int answer_size(void* handle, const void* sparse, const void* dense, size_t* bytes) {
  Pair pair;
  const int status = understand(handle, sparse, dense, &pair);
  if (status != kSuccess) return status;
  if (!bytes) return kInvalidValue;
  *bytes = 8 * static_cast<size_t>(pair.dense.rows) + 512;
  return kSuccess;
}

// Vector operations: `x` is sparse, `y` dense; the result goes to one of them.
int record_vectors(Schema& schema, void* handle, const void* x, const void* y, bool into_sparse) {
  Call call;
  Handle* context = find_context(handle);
  if (!context) return kNotInitialized;
  SpVec sparse;
  DnVec dense;
  if (!read(x, &sparse) || !read(y, &dense)) return kInvalidValue;
  submit(schema, {dense.size, sparse.nnz, sparse.value_type, dense.value_type, sparse.index_type},
         stream_of(*context));
  forget(into_sparse ? sparse.values : dense.values);
  return kSuccess;
}

}  // namespace

#define MATRIX_SCHEMA(name)                                                                       \
  MAYA_LIBRARY_SCHEMA(schema, name, "format", "rows", "cols", "nnz", "dense_type", "sparse_type", \
                      "index_type", "order", "ld", "batch", "algo")
#define VECTOR_SCHEMA(name) MAYA_LIBRARY_SCHEMA(schema, name, "size", "nnz", "x_type", "y_type", "index_type")

int cusparseSparseToDense_bufferSize(void* handle, const void* sparse, void* dense, int, size_t* bytes) {
  return answer_size(handle, sparse, dense, bytes);
}

int cusparseSparseToDense(void* handle, const void* sparse, void* dense, int algorithm, void*) {
  Pair pair;
  const int status = understand(handle, sparse, dense, &pair);
  if (status != kSuccess) return status;
  MATRIX_SCHEMA("cusparseSparseToDense");
  record(schema, pair, algorithm);
  forget(pair.dense.values);
  return kSuccess;
}

int cusparseDenseToSparse_bufferSize(void* handle, const void* dense, void* sparse, int, size_t* bytes) {
  return answer_size(handle, sparse, dense, bytes);
}

// Which entries are zero only the device knows: none are taken to be, the largest result there can be.
int cusparseDenseToSparse_analysis(void* handle, const void* dense, void* sparse, int algorithm, void*) {
  Pair pair;
  const int status = understand(handle, sparse, dense, &pair);
  if (status != kSuccess) return status;
  MATRIX_SCHEMA("cusparseDenseToSparse_analysis");
  record(schema, pair, algorithm);
  if (pair.sparse.format == kBlockedEll) return kSuccess;  // its size is given, not found
  inform("a dense matrix made sparse (cusparseDenseToSparse) is taken to have no zeros");
  const int64_t nnz = pair.dense.rows * pair.dense.cols;
  return update<SpMat>(sparse, [nnz](SpMat& matrix) { matrix.nnz = nnz; });
}

int cusparseDenseToSparse_convert(void* handle, const void* dense, void* sparse, int algorithm, void*) {
  Pair pair;
  const int status = understand(handle, sparse, dense, &pair);
  if (status != kSuccess) return status;
  MATRIX_SCHEMA("cusparseDenseToSparse_convert");
  record(schema, pair, algorithm);
  for (void* output : {pair.sparse.offsets, pair.sparse.indices, pair.sparse.values}) forget(output);
  return kSuccess;
}

int cusparseAxpby(void* handle, const void*, const void* x, const void*, void* y) {
  VECTOR_SCHEMA("cusparseAxpby");
  return record_vectors(schema, handle, x, y, false);
}

int cusparseGather(void* handle, const void* y, void* x) {
  VECTOR_SCHEMA("cusparseGather");
  return record_vectors(schema, handle, x, y, true);
}

int cusparseScatter(void* handle, const void* x, void* y) {
  VECTOR_SCHEMA("cusparseScatter");
  return record_vectors(schema, handle, x, y, false);
}

int cusparseRot(void* handle, const void*, const void*, void* x, void* y) {
  VECTOR_SCHEMA("cusparseRot");
  const int status = record_vectors(schema, handle, x, y, true);
  DnVec dense;
  if (status == kSuccess && read(y, &dense)) forget(dense.values);
  return status;
}

int cusparseSpVV_bufferSize(void* handle, int, const void*, const void*, const void*, int, size_t* bytes) {
  if (!find_context(handle)) return kNotInitialized;
  if (!bytes) return kInvalidValue;
  *bytes = 512;
  return kSuccess;
}

int cusparseSpVV(void* handle, int, const void* x, const void* y, void* result, int compute_type, void*) {
  VECTOR_SCHEMA("cusparseSpVV");
  Handle* context = find_context(handle);
  if (!context) return kNotInitialized;
  SpVec sparse;
  DnVec dense;
  if (!read(x, &sparse) || !read(y, &dense) || !result) return kInvalidValue;
  submit(schema, {dense.size, sparse.nnz, sparse.value_type, dense.value_type, sparse.index_type},
         stream_of(*context));
  if (get<Context>(*context, kStateKey).pointer_mode) {
    forget(result);
    return kSuccess;
  }
  const size_t bytes = mathlibs::element_bytes(compute_type);
  return mathlibs::deliver(result, bytes, stream_of(*context)) ? kSuccess : kExecutionFailed;
}
