// Structured-sparse products, pruning and compression.
#include "descriptors.h"
#include "gen/cusparseLt.h"

using namespace maya;
using namespace maya::cusparselt;

namespace {

Stream* first_stream(void** streams, int count) {
  return find_stream(streams && count > 0 ? streams[0] : nullptr);
}

int multiply(Schema& schema, const void* handle, const void* plan_pointer, void* d, void** streams, int count,
             const void* beta, int repetitions) {
  Call call;
  if (!is_handle(handle)) return kNotInitialized;
  const Plan* plan = as<Plan>(plan_pointer);
  Stream* stream = first_stream(streams, count);
  if (!plan || !stream || !d) return kInvalidValue;
  const Matmul& matmul = plan->matmul;
  const int64_t k = matmul.op_a == 0 ? matmul.a.cols : matmul.a.rows;
  submit(schema,
         {matmul.d.rows,
          matmul.d.cols,
          k,
          matmul.d.batch,
          matmul.op_a,
          matmul.op_b,
          matmul.a.type,
          matmul.b.type,
          matmul.c.type,
          matmul.d.type,
          matmul.compute_type,
          matmul.a.structured,
          matmul.a.order,
          matmul.b.order,
          matmul.d.order,
          matmul.a.ld,
          matmul.b.ld,
          matmul.d.ld,
          matmul.relu,
          matmul.gelu,
          matmul.bias != nullptr,
          matmul.alpha_vector,
          matmul.scale_mode[0],
          matmul.scale_mode[1],
          plan->selection.id,
          plan->selection.split_k,
          plan->selection.split_k_mode,
          beta && !mathlibs::is_zero(beta, sizeof(float)),
          repetitions},
         *stream);
  forget(d);
  return kSuccess;
}

// The kept half, and two bits each that say which were kept.
size_t compressed_bytes(const Matrix& matrix) {
  const int64_t elements = matrix.rows * matrix.cols;
  return static_cast<size_t>((elements / 2 * mathlibs::element_bits(matrix.type) + 7) / 8 + elements / 8);
}

const Matrix* sparse_operand(const Matmul& matmul) {
  return matmul.a.structured ? &matmul.a : &matmul.b;
}

int answer_sizes(const void* handle, const Matrix* matrix, size_t* compressed, size_t* buffer) {
  if (!is_handle(handle)) return kNotInitialized;
  if (!matrix || !compressed || !buffer) return kInvalidValue;
  *compressed = compressed_bytes(*matrix);
  *buffer = 512;
  return kSuccess;
}

int rewrite(Schema& schema, const void* handle, const Matrix* matrix, void* output, int variant,
            void* stream_handle) {
  Call call;
  if (!is_handle(handle)) return kNotInitialized;
  Stream* stream = find_stream(stream_handle);
  if (!matrix || !stream || !output) return kInvalidValue;
  submit(schema,
         {matrix->rows, matrix->cols, matrix->ld, matrix->type, matrix->order, matrix->batch, variant},
         *stream);
  forget(output);
  return kSuccess;
}

const Matrix* operand_of(const void* matmul) {
  const Matmul* found = as<Matmul>(matmul);
  return found ? sparse_operand(*found) : nullptr;
}

const Matrix* operand_of_plan(const void* plan) {
  const Plan* found = as<Plan>(plan);
  return found ? sparse_operand(found->matmul) : nullptr;
}

}  // namespace

#define MATMUL_SCHEMA(name)                                                                                  \
  MAYA_LIBRARY_SCHEMA(schema, name, "m", "n", "k", "batch", "op_a", "op_b", "a_type", "b_type", "c_type",    \
                      "d_type", "compute_type", "sparse_a", "a_order", "b_order", "d_order", "lda", "ldb",   \
                      "ldd", "relu", "gelu", "bias", "alpha_vector", "a_scale_mode", "b_scale_mode", "algo", \
                      "split_k", "split_k_mode", "beta_nonzero", "repetitions")
#define REWRITE_SCHEMA(name) \
  MAYA_LIBRARY_SCHEMA(schema, name, "rows", "cols", "ld", "type", "order", "batch", "variant")

int cusparseLtMatmulGetWorkspace(const void* handle, const void* plan, size_t* bytes) {
  if (!is_handle(handle)) return kNotInitialized;
  if (!as<Plan>(plan) || !bytes) return kInvalidValue;
  *bytes = 0;
  return kSuccess;
}

int cusparseLtMatmul(const void* handle, const void* plan, const void*, const void*, const void*,
                     const void* beta, const void*, void* d, void*, void** streams, int32_t count) {
  MATMUL_SCHEMA("cusparseLtMatmul");
  return multiply(schema, handle, plan, d, streams, count, beta, 1);
}

// The real search runs every algorithm several times and leaves the best in the plan; here the first is best.
int cusparseLtMatmulSearch(const void* handle, void* plan, const void*, const void*, const void*,
                           const void* beta, const void*, void* d, void*, void** streams, int32_t count) {
  MATMUL_SCHEMA("cusparseLtMatmulSearch");
  const Plan* found = as<Plan>(plan);
  return multiply(schema, handle, plan, d, streams, count, beta,
                  found ? found->selection.search_iterations : 0);
}

int cusparseLtSpMMACompressedSize(const void* handle, const void* plan, size_t* compressed, size_t* buffer) {
  return answer_sizes(handle, operand_of_plan(plan), compressed, buffer);
}

int cusparseLtSpMMACompressedSize2(const void* handle, const void* matrix, size_t* compressed,
                                   size_t* buffer) {
  return answer_sizes(handle, as<Matrix>(matrix), compressed, buffer);
}

int cusparseLtSpMMACompress(const void* handle, const void* plan, const void*, void* compressed, void*,
                            void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMACompress");
  return rewrite(schema, handle, operand_of_plan(plan), compressed, 0, stream);
}

int cusparseLtSpMMACompress2(const void* handle, const void* matrix, int, int op, const void*,
                             void* compressed, void*, void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMACompress2");
  return rewrite(schema, handle, as<Matrix>(matrix), compressed, op, stream);
}

int cusparseLtSpMMAPrune(const void* handle, const void* matmul, const void*, void* output, int algorithm,
                         void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMAPrune");
  return rewrite(schema, handle, operand_of(matmul), output, algorithm, stream);
}

int cusparseLtSpMMAPrune2(const void* handle, const void* matrix, int, int, const void*, void* output,
                          int algorithm, void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMAPrune2");
  return rewrite(schema, handle, as<Matrix>(matrix), output, algorithm, stream);
}

// The flag lies on the device; zero, the value of what is not known, means "pruned as it should be".
int cusparseLtSpMMAPruneCheck(const void* handle, const void* matmul, const void*, int* valid, void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMAPruneCheck");
  return rewrite(schema, handle, operand_of(matmul), valid, 0, stream);
}

int cusparseLtSpMMAPruneCheck2(const void* handle, const void* matrix, int, int, const void*, int* valid,
                               void* stream) {
  REWRITE_SCHEMA("cusparseLtSpMMAPruneCheck2");
  return rewrite(schema, handle, as<Matrix>(matrix), valid, 0, stream);
}
