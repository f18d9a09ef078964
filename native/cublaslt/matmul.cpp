// The work: matrix products and layout transforms.
#include "gen/cublasLt.h"
#include "mathlibs/data_types.h"
#include "problem.h"

using namespace maya;
using namespace maya::cublaslt;

namespace {

MAYA_LIBRARY_SCHEMA(matmul_schema, "cublasLtMatmul", "m", "n", "k", "batch", "transa", "transb", "a_type",
                    "b_type", "c_type", "d_type", "compute_type", "scale_type", "a_order", "b_order",
                    "c_order", "d_order", "lda", "ldb", "ldc", "ldd", "stride_a", "stride_b", "stride_c",
                    "stride_d", "batch_mode", "epilogue", "bias_type", "aux_type", "pointer_mode",
                    "a_scale_mode", "b_scale_mode", "c_scale_mode", "d_scale_mode", "d_out_scale_mode",
                    "fast_accum", "sm_count_target", "beta_nonzero", "in_place", "algo", "tile", "split_k",
                    "cluster_shape", "workspace_bytes");

MAYA_LIBRARY_SCHEMA(transform_schema, "cublasLtMatrixTransform", "rows", "cols", "batch", "transa", "transb",
                    "a_type", "b_type", "c_type", "a_order", "b_order", "c_order", "lda", "ldb", "ldc",
                    "scale_type", "has_b");

// Pointer modes 0 (both on the host) and 4 (only beta) let the host look; mode 3 means zero.
bool beta_nonzero(const Matmul& matmul, const void* beta) {
  if (matmul.pointer_mode == 3) return false;
  const bool on_host = matmul.pointer_mode == 0 || matmul.pointer_mode == 4;
  return !on_host || !beta || !mathlibs::is_zero(beta, mathlibs::element_bytes(matmul.scale_type));
}

constexpr unsigned kEpilogueAux = 128;     // stores what the backward pass needs
constexpr unsigned kGradientAux = 8 | 64;  // reads it instead
constexpr unsigned kBiasGradient = 16 | 256 | 512;

void forget_outputs(const Matmul& matmul, void* d) {
  forget(d);
  if ((matmul.epilogue & kEpilogueAux) && !(matmul.epilogue & kGradientAux)) forget(matmul.aux);
  if (matmul.epilogue & kBiasGradient) forget(matmul.bias);
  if (matmul.amax_d) forget(matmul.amax_d);
  if (matmul.aux_amax) forget(matmul.aux_amax);
  if (matmul.d_out_scale) forget(matmul.d_out_scale);
}

void record(const Problem& problem, const void* beta, bool in_place, const Algorithm* algorithm,
            size_t workspace, Stream& stream) {
  const Matmul& matmul = *problem.matmul;
  const Layout &a = *problem.a, &b = *problem.b, &c = *problem.c, &d = *problem.d;
  Algorithm unchosen;
  unchosen.id = -1;
  const Algorithm& algo = algorithm ? *algorithm : unchosen;
  submit(matmul_schema,
         {problem.m,
          problem.n,
          problem.k,
          problem.batch,
          matmul.transa,
          matmul.transb,
          a.type,
          b.type,
          c.type,
          d.type,
          matmul.compute_type,
          matmul.scale_type,
          a.order,
          b.order,
          c.order,
          d.order,
          a.ld,
          b.ld,
          c.ld,
          d.ld,
          a.stride,
          b.stride,
          c.stride,
          d.stride,
          d.batch_mode,
          matmul.epilogue,
          matmul.bias_type,
          matmul.aux_type,
          matmul.pointer_mode,
          matmul.scale_mode[0],
          matmul.scale_mode[1],
          matmul.scale_mode[2],
          matmul.scale_mode[3],
          matmul.d_out_scale_mode,
          matmul.fast_accum,
          matmul.sm_count_target,
          beta_nonzero(matmul, beta),
          in_place,
          algo.id,
          algo.tile,
          algo.split_k,
          algo.cluster_shape,
          static_cast<int64_t>(workspace)},
         stream);
}

}  // namespace

int cublasLtMatmul(void* handle, void* matmul, const void* alpha, const void* a, void* a_layout,
                   const void* b, void* b_layout, const void* beta, const void* c, void* c_layout, void* d,
                   void* d_layout, const void* algo, void*, size_t workspace, void* stream_handle) {
  Call call;
  if (!is_handle(handle)) return kNotInitialized;
  Problem problem;
  const int status = understand(matmul, a_layout, b_layout, c_layout, d_layout, &problem);
  if (status != kSuccess) return status;
  const Algorithm* algorithm = as<Algorithm>(algo);
  if (!alpha || !a || !b || !d || (algo && !algorithm)) return kInvalidValue;
  Stream* stream = find_stream(stream_handle);
  if (!stream) return kInvalidValue;
  if (problem.m == 0 || problem.n == 0 || problem.batch == 0) return kSuccess;  // nothing is launched
  record(problem, beta, c == d, algorithm, workspace, *stream);
  forget_outputs(*problem.matmul, d);
  return kSuccess;
}

int cublasLtMatrixTransform(void* handle, void* transform, const void* alpha, const void* a, void* a_layout,
                            const void*, const void* b, void* b_layout, void* c, void* c_layout,
                            void* stream_handle) {
  Call call;
  if (!is_handle(handle)) return kNotInitialized;
  const Transform* desc = as<Transform>(transform);
  const Layout* from = as<Layout>(a_layout);
  const Layout* to = as<Layout>(c_layout);
  const Layout* added = b ? as<Layout>(b_layout) : nullptr;
  Stream* stream = find_stream(stream_handle);
  if (!desc || !from || !to || !alpha || !a || !c || (b && !added) || !stream) return kInvalidValue;
  const Layout& other = added ? *added : *from;
  submit(transform_schema,
         {static_cast<int64_t>(to->rows), static_cast<int64_t>(to->cols), to->batch, desc->transa,
          desc->transb, from->type, other.type, to->type, from->order, other.order, to->order, from->ld,
          other.ld, to->ld, desc->scale_type, added != nullptr},
         *stream);
  forget(c);
  return kSuccess;
}
