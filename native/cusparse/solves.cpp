// Triangular solves of the generic interface: SpSV (one right-hand side) and SpSM (many).
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

// The analysis keeps the levels of the rows' dependencies: about a word per entry and a few per row.
size_t scratch_bytes(const SpMat& matrix) {
  return 4 * matrix.nnz + 16 * matrix.rows + 1024;
}

// cusparseSpSV_createDescr's object remembers the matrix for cusparseSpSV_updateMatrix.
int remember(const void* object, int type, const SpMat& matrix) {
  Handle* found = cusparse::find(object, type);
  if (!found) return kInvalidValue;
  set(*found, kStateKey, Solve{matrix.rows, matrix.nnz, matrix.value_type});
  return kSuccess;
}

// `B` and `C` are vectors or matrices; `right_sides` counts C's columns.
template <typename Dense>
int solve(Schema& schema, void* handle, int op_a, int op_b, const void* a, const void* b, const void* c,
          int compute_type, int algorithm, const void* object, int type, int64_t right_sides) {
  Call call;
  Handle* context = find_context(handle);
  if (!context) return kNotInitialized;
  SpMat matrix;
  Dense from, to;
  if (!read(a, &matrix) || !read(b, &from) || !read(c, &to)) return kInvalidValue;
  const int status = remember(object, type, matrix);
  if (status != kSuccess) return status;
  submit(schema,
         {matrix.format, matrix.rows, matrix.nnz, right_sides, op_a, op_b, matrix.fill_mode, matrix.diag_type,
          matrix.value_type, compute_type, matrix.index_type, algorithm},
         stream_of(*context));
  forget(to.values);
  return kSuccess;
}

int64_t columns(const void* object) {
  DnMat matrix;
  return read(object, &matrix) ? matrix.cols : 0;
}

int answer_size(void* handle, const void* a, size_t* bytes) {
  if (!find_context(handle)) return kNotInitialized;
  SpMat matrix;
  if (!read(a, &matrix) || !bytes) return kInvalidValue;
  *bytes = scratch_bytes(matrix);
  return kSuccess;
}

int update_values(Schema& schema, void* handle, const void* object, int type, int part) {
  Handle* context = find_context(handle);
  Handle* found = cusparse::find(object, type);
  if (!context) return kNotInitialized;
  if (!found) return kInvalidValue;
  const Solve state = get<Solve>(*found, kStateKey);
  submit(schema, {state.rows, state.nnz, state.value_type, part}, stream_of(*context));
  return kSuccess;
}

}  // namespace

#define SOLVE_SCHEMA(name)                                                                               \
  MAYA_LIBRARY_SCHEMA(schema, name, "format", "rows", "nnz", "right_sides", "op_a", "op_b", "fill_mode", \
                      "diag_type", "a_type", "compute_type", "index_type", "algo")
#define UPDATE_SCHEMA(name) MAYA_LIBRARY_SCHEMA(schema, name, "rows", "nnz", "a_type", "part")

int cusparseSpSV_createDescr(void** object) {
  return create(object, Solve{}, kSpSV);
}
int cusparseSpSV_destroyDescr(void* object) {
  return destroy(object, kSpSV);
}
int cusparseSpSM_createDescr(void** object) {
  return create(object, Solve{}, kSpSM);
}
int cusparseSpSM_destroyDescr(void* object) {
  return destroy(object, kSpSM);
}

int cusparseSpSV_bufferSize(void* handle, int, const void*, const void* a, const void*, void*, int, int,
                            void*, size_t* bytes) {
  return answer_size(handle, a, bytes);
}

int cusparseSpSV_analysis(void* handle, int op, const void*, const void* a, const void* x, void* y,
                          int compute_type, int algorithm, void* object, void*) {
  SOLVE_SCHEMA("cusparseSpSV_analysis");
  return solve<DnVec>(schema, handle, op, 0, a, x, y, compute_type, algorithm, object, kSpSV, 1);
}

int cusparseSpSV_solve(void* handle, int op, const void*, const void* a, const void* x, void* y,
                       int compute_type, int algorithm, void* object) {
  SOLVE_SCHEMA("cusparseSpSV_solve");
  return solve<DnVec>(schema, handle, op, 0, a, x, y, compute_type, algorithm, object, kSpSV, 1);
}

int cusparseSpSV_updateMatrix(void* handle, void* object, void*, int part) {
  UPDATE_SCHEMA("cusparseSpSV_updateMatrix");
  return update_values(schema, handle, object, kSpSV, part);
}

int cusparseSpSM_bufferSize(void* handle, int, int, const void*, const void* a, const void*, void*, int, int,
                            void*, size_t* bytes) {
  return answer_size(handle, a, bytes);
}

int cusparseSpSM_analysis(void* handle, int op_a, int op_b, const void*, const void* a, const void* b,
                          void* c, int compute_type, int algorithm, void* object, void*) {
  SOLVE_SCHEMA("cusparseSpSM_analysis");
  return solve<DnMat>(schema, handle, op_a, op_b, a, b, c, compute_type, algorithm, object, kSpSM,
                      columns(c));
}

int cusparseSpSM_solve(void* handle, int op_a, int op_b, const void*, const void* a, const void* b, void* c,
                       int compute_type, int algorithm, void* object) {
  SOLVE_SCHEMA("cusparseSpSM_solve");
  return solve<DnMat>(schema, handle, op_a, op_b, a, b, c, compute_type, algorithm, object, kSpSM,
                      columns(c));
}

int cusparseSpSM_updateMatrix(void* handle, void* object, void*, int part) {
  UPDATE_SCHEMA("cusparseSpSM_updateMatrix");
  return update_values(schema, handle, object, kSpSM, part);
}
