// Products with a sparse operand: SpMV, SpMM, and SDDMM whose result is sparse.
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

// cuSPARSE does not publish its scratch sizes; a word per row is the order of what its row-balancing CSR
// kernels ask for, and never zero, since callers allocate what they are told.
size_t scratch_bytes(const SpMat& matrix) {
  return 4 * static_cast<size_t>(matrix.rows) + 512;
}

// Two operands and a result, read from their descriptors.
template <typename A, typename B, typename C>
struct Problem {
  Handle* context = nullptr;
  A a;
  B b;
  C c;

  int read_from(void* handle, const void* first, const void* second, const void* result) {
    context = find_context(handle);
    if (!context) return kNotInitialized;
    return read(first, &a) && read(second, &b) && read(result, &c) ? kSuccess : kInvalidValue;
  }
};

using SpMV = Problem<SpMat, DnVec, DnVec>;
using SpMM = Problem<SpMat, DnMat, DnMat>;
using SDDMM = Problem<DnMat, DnMat, SpMat>;

int multiply(Schema& schema, void* handle, int op, const void* a, const void* x, const void* beta,
             const void* y, int compute_type, int algorithm) {
  Call call;
  SpMV problem;
  const int status = problem.read_from(handle, a, x, y);
  if (status != kSuccess) return status;
  const SpMat& matrix = problem.a;
  submit(schema,
         {matrix.format, matrix.rows, matrix.cols, matrix.nnz, op, matrix.value_type, problem.b.value_type,
          problem.c.value_type, compute_type, matrix.index_type, algorithm, matrix.block_rows,
          matrix.block_cols, beta_nonzero(*problem.context, beta, compute_type)},
         stream_of(*problem.context));
  forget(problem.c.values);
  return kSuccess;
}

int multiply(Schema& schema, void* handle, int op_a, int op_b, const void* a, const void* b, const void* beta,
             const void* c, int compute_type, int algorithm) {
  Call call;
  SpMM problem;
  const int status = problem.read_from(handle, a, b, c);
  if (status != kSuccess) return status;
  const SpMat& matrix = problem.a;
  submit(schema,
         {matrix.format,
          matrix.rows,
          matrix.cols,
          matrix.nnz,
          problem.c.cols,
          op_a,
          op_b,
          matrix.value_type,
          problem.b.value_type,
          problem.c.value_type,
          compute_type,
          matrix.index_type,
          algorithm,
          problem.b.order,
          problem.c.order,
          problem.b.ld,
          problem.c.ld,
          problem.c.batch,
          matrix.block_rows,
          matrix.block_cols,
          beta_nonzero(*problem.context, beta, compute_type)},
         stream_of(*problem.context));
  forget(problem.c.values);
  return kSuccess;
}

int sample(Schema& schema, void* handle, int op_a, int op_b, const void* a, const void* b, const void* beta,
           const void* c, int compute_type, int algorithm) {
  Call call;
  SDDMM problem;
  const int status = problem.read_from(handle, a, b, c);
  if (status != kSuccess) return status;
  const SpMat& matrix = problem.c;
  const int64_t k = op_a == 0 ? problem.a.cols : problem.a.rows;
  submit(schema,
         {matrix.format,
          matrix.rows,
          matrix.cols,
          k,
          matrix.nnz,
          op_a,
          op_b,
          problem.a.value_type,
          problem.b.value_type,
          matrix.value_type,
          compute_type,
          matrix.index_type,
          algorithm,
          problem.a.order,
          problem.b.order,
          problem.a.ld,
          problem.b.ld,
          matrix.batch,
          matrix.block_rows,
          matrix.block_cols,
          beta_nonzero(*problem.context, beta, compute_type)},
         stream_of(*problem.context));
  forget(matrix.values);
  return kSuccess;
}

int answer_size(int status, const SpMat& matrix, size_t* bytes) {
  if (status != kSuccess) return status;
  if (!bytes) return kInvalidValue;
  *bytes = scratch_bytes(matrix);
  return kSuccess;
}

}  // namespace

#define SPMV_SCHEMA(name)                                                                                  \
  MAYA_LIBRARY_SCHEMA(schema, name, "format", "rows", "cols", "nnz", "op_a", "a_type", "x_type", "y_type", \
                      "compute_type", "index_type", "algo", "block_rows", "block_cols", "beta_nonzero")

int cusparseSpMV_bufferSize(void* handle, int, const void*, const void* a, const void* x, const void*,
                            void* y, int, int, size_t* bytes) {
  SpMV problem;
  const int status = problem.read_from(handle, a, x, y);
  return answer_size(status, problem.a, bytes);
}

int cusparseSpMV_preprocess(void* handle, int op, const void*, const void* a, const void* x, const void* beta,
                            void* y, int compute_type, int algorithm, void*) {
  SPMV_SCHEMA("cusparseSpMV_preprocess");
  return multiply(schema, handle, op, a, x, beta, y, compute_type, algorithm);
}

int cusparseSpMV(void* handle, int op, const void*, const void* a, const void* x, const void* beta, void* y,
                 int compute_type, int algorithm, void*) {
  SPMV_SCHEMA("cusparseSpMV");
  return multiply(schema, handle, op, a, x, beta, y, compute_type, algorithm);
}

#define SPMM_SCHEMA(name)                                                                                    \
  MAYA_LIBRARY_SCHEMA(schema, name, "format", "rows", "cols", "nnz", "n", "op_a", "op_b", "a_type",          \
                      "b_type", "c_type", "compute_type", "index_type", "algo", "b_order", "c_order", "ldb", \
                      "ldc", "batch", "block_rows", "block_cols", "beta_nonzero")

int cusparseSpMM_bufferSize(void* handle, int, int, const void*, const void* a, const void* b, const void*,
                            void* c, int, int, size_t* bytes) {
  SpMM problem;
  const int status = problem.read_from(handle, a, b, c);
  return answer_size(status, problem.a, bytes);
}

int cusparseSpMM_preprocess(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                            const void* beta, void* c, int compute_type, int algorithm, void*) {
  SPMM_SCHEMA("cusparseSpMM_preprocess");
  return multiply(schema, handle, op_a, op_b, a, b, beta, c, compute_type, algorithm);
}

int cusparseSpMM(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                 const void* beta, void* c, int compute_type, int algorithm, void*) {
  SPMM_SCHEMA("cusparseSpMM");
  return multiply(schema, handle, op_a, op_b, a, b, beta, c, compute_type, algorithm);
}

#define SDDMM_SCHEMA(name)                                                                                \
  MAYA_LIBRARY_SCHEMA(schema, name, "format", "m", "n", "k", "nnz", "op_a", "op_b", "a_type", "b_type",   \
                      "c_type", "compute_type", "index_type", "algo", "a_order", "b_order", "lda", "ldb", \
                      "batch", "block_rows", "block_cols", "beta_nonzero")

int cusparseSDDMM_bufferSize(void* handle, int, int, const void*, const void* a, const void* b, const void*,
                             void* c, int, int, size_t* bytes) {
  SDDMM problem;
  const int status = problem.read_from(handle, a, b, c);
  return answer_size(status, problem.c, bytes);
}

int cusparseSDDMM_preprocess(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                             const void* beta, void* c, int compute_type, int algorithm, void*) {
  SDDMM_SCHEMA("cusparseSDDMM_preprocess");
  return sample(schema, handle, op_a, op_b, a, b, beta, c, compute_type, algorithm);
}

int cusparseSDDMM(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                  const void* beta, void* c, int compute_type, int algorithm, void*) {
  SDDMM_SCHEMA("cusparseSDDMM");
  return sample(schema, handle, op_a, op_b, a, b, beta, c, compute_type, algorithm);
}
