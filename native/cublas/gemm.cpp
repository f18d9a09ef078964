#include "gemm.h"

#include <algorithm>

namespace maya::cublas {
namespace {

bool is_operation(int operation) {
  return operation >= 0 && operation <= 3;
}

bool fits(int64_t ld, int64_t rows) {
  return ld >= std::max<int64_t>(1, rows);
}

bool valid(const Gemm& gemm) {
  if (!is_operation(gemm.transa) || !is_operation(gemm.transb)) return false;
  if (gemm.m < 0 || gemm.n < 0 || gemm.k < 0 || gemm.batch < 0) return false;
  // Operation 0 is "as stored"; conjugation alone (3) keeps the shape too.
  const bool a_stored = gemm.transa == 0 || gemm.transa == 3;
  const bool b_stored = gemm.transb == 0 || gemm.transb == 3;
  if (!fits(gemm.a.ld, a_stored ? gemm.m : gemm.k)) return false;
  if (!fits(gemm.b.ld, b_stored ? gemm.k : gemm.n)) return false;
  return fits(gemm.c.ld, gemm.m) && gemm.alpha && gemm.beta;
}

// Unknown to the host where beta lies on the device: then C counts as read.
bool beta_nonzero(const Gemm& gemm, int pointer_mode) {
  if (pointer_mode == kDevicePointers) return true;
  return !mathlibs::is_zero(gemm.beta, scalar_bytes(gemm.compute, gemm.a.type));
}

void forget_result(const Gemm& gemm) {
  if (gemm.pointer_arrays) {
    mathlibs::forget_each(gemm.c.data, gemm.batch);
  } else {
    forget(gemm.c.data);
  }
}

}  // namespace

size_t scalar_bytes(int compute, int a_type) {
  const size_t parts = mathlibs::is_complex(a_type) ? 2 : 1;
  switch (compute) {
    case kCompute16F:
    case kCompute16FPedantic:
      return 2 * parts;
    case kCompute64F:
    case kCompute64FPedantic:
    case kCompute64FEmulated:
      return 8 * parts;
    default:
      return 4 * parts;
  }
}

int multiply(Schema& schema, void* handle, const Gemm& gemm) {
  Call call;
  Handle* found = find(handle);
  if (!found) return kNotInitialized;
  if (!valid(gemm)) return kInvalidValue;
  if (gemm.m == 0 || gemm.n == 0 || gemm.batch == 0) return kSuccess;  // nothing is launched
  if (!gemm.c.data || (gemm.k && (!gemm.a.data || !gemm.b.data))) return kInvalidValue;
  const State state = state_of(*found);
  submit(schema,
         {gemm.m,
          gemm.n,
          gemm.k,
          gemm.batch,
          gemm.transa,
          gemm.transb,
          gemm.a.ld,
          gemm.b.ld,
          gemm.c.ld,
          gemm.a.stride,
          gemm.b.stride,
          gemm.c.stride,
          gemm.a.type,
          gemm.b.type,
          gemm.c.type,
          gemm.compute,
          gemm.algo,
          state.math_mode,
          state.pointer_mode,
          state.sm_count_target,
          beta_nonzero(gemm, state.pointer_mode)},
         stream_of(*found));
  forget_result(gemm);
  return kSuccess;
}

}  // namespace maya::cublas
