#include "problem.h"

#include "mathlibs/data_types.h"

namespace maya::cublaslt {
namespace {

using mathlibs::is_fp8;

constexpr int kTransposed = 1;
constexpr int kOrderColumn = 0;
constexpr int kScaleVec16 = 1, kScaleVec32 = 2, kScaleOuterVector = 3, kScaleVec128 = 4, kScaleBlock128 = 5;

bool keeps_shape(int operation) {
  return operation == 0 || operation == 3;
}

int64_t op_rows(const Layout& layout, int operation) {
  return keeps_shape(operation) ? layout.rows : layout.cols;
}

int64_t op_cols(const Layout& layout, int operation) {
  return keeps_shape(operation) ? layout.cols : layout.rows;
}

bool same_shape(const Layout& layout, int64_t rows, int64_t cols) {
  return static_cast<int64_t>(layout.rows) == rows && static_cast<int64_t>(layout.cols) == cols;
}

// FP8 kernels came with sm_89; until Blackwell they take A transposed and B as stored, in 16-byte rows.
bool fp8_supported(const Problem& problem) {
  const int sm = device_model().sm();
  if (sm < 89) return false;
  if (problem.a->ld % 16 || problem.b->ld % 16) return false;
  if (sm >= 100) return true;
  const bool columns = problem.a->order == kOrderColumn && problem.b->order == kOrderColumn;
  return columns && problem.matmul->transa == kTransposed && problem.matmul->transb == 0;
}

bool scale_mode_supported(int mode) {
  const int sm = device_model().sm();
  if (mode == kScaleVec16 || mode == kScaleVec32) return sm >= 100;
  if (mode == kScaleOuterVector || mode == kScaleVec128 || mode == kScaleBlock128) return sm >= 90;
  return true;
}

bool supported(const Problem& problem) {
  if ((is_fp8(problem.a->type) || is_fp8(problem.b->type)) && !fp8_supported(problem)) return false;
  if (problem.a->type == mathlibs::kR4F_E2M1 && device_model().sm() < 100) return false;
  return scale_mode_supported(problem.matmul->scale_mode[0]) &&
         scale_mode_supported(problem.matmul->scale_mode[1]);
}

bool consistent(const Problem& problem) {
  if (op_rows(*problem.b, problem.matmul->transb) != problem.k) return false;
  if (!same_shape(*problem.d, problem.m, problem.n) || !same_shape(*problem.c, problem.m, problem.n))
    return false;
  return problem.a->batch == problem.d->batch && problem.b->batch == problem.d->batch;
}

}  // namespace

int understand(const void* matmul, const void* a, const void* b, const void* c, const void* d,
               Problem* problem) {
  problem->matmul = as<Matmul>(matmul);
  problem->a = as<Layout>(a);
  problem->b = as<Layout>(b);
  problem->d = as<Layout>(d);
  problem->c = c ? as<Layout>(c) : problem->d;  // not needed where beta is zero
  if (!problem->matmul || !problem->a || !problem->b || !problem->c || !problem->d) return kInvalidValue;
  problem->m = op_rows(*problem->a, problem->matmul->transa);
  problem->k = op_cols(*problem->a, problem->matmul->transa);
  problem->n = op_cols(*problem->b, problem->matmul->transb);
  problem->batch = problem->d->batch;
  if (!consistent(*problem)) return kInvalidValue;
  return supported(*problem) ? kSuccess : kNotSupported;
}

}  // namespace maya::cublaslt
