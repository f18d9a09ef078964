// Reductions with a scalar result (dot, nrm2, asum, amax, amin): in host pointer mode the host waits for it.
#include "gen/cublas.h"
#include "mathlibs/data_types.h"
#include "state.h"

using namespace maya;
using namespace maya::cublas;
using namespace maya::mathlibs;

namespace {

struct Vector {
  int type;
  int64_t inc;
};

// `y` repeats `x` where the reduction has one operand.
int reduce(Schema& schema, void* handle, int64_t n, Vector x, Vector y, void* result, size_t bytes) {
  Call call;
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!result) return kInvalidValue;
  const State state = state_of(*found);
  Stream& stream = stream_of(*found);
  submit(schema, {n, x.inc, y.inc, x.type, y.type, state.pointer_mode}, stream);
  if (state.pointer_mode == kDevicePointers) {
    forget(result);
    return kSuccess;
  }
  return deliver(result, bytes, stream) ? kSuccess : kExecutionFailed;
}

// Indices count from 1: zero, the value of unknown results, would point before the vector.
template <typename Index>
int locate(Schema& schema, void* handle, int64_t n, Vector x, Index* result) {
  const int status = reduce(schema, handle, n, x, x, result, sizeof *result);
  const bool on_host = result && !is_device_address(reinterpret_cast<uintptr_t>(result));
  if (status == kSuccess && on_host && n > 0) *result = 1;
  return status;
}

}  // namespace

#define SCHEMA(name) \
  MAYA_LIBRARY_SCHEMA(schema, #name, "n", "incx", "incy", "x_type", "y_type", "pointer_mode")

#define DOT(name, Int, Scalar, type)                                                                \
  int name(void* handle, Int n, const Scalar*, Int incx, const Scalar*, Int incy, Scalar* result) { \
    SCHEMA(name);                                                                                   \
    return reduce(schema, handle, n, {type, incx}, {type, incy}, result, element_bytes(type));      \
  }

#define DOT_EX(name, Int)                                                                                 \
  int name(void* handle, Int n, const void*, int x_type, Int incx, const void*, int y_type, Int incy,     \
           void* result, int result_type, int) {                                                          \
    SCHEMA(name);                                                                                         \
    return reduce(schema, handle, n, {x_type, incx}, {y_type, incy}, result, element_bytes(result_type)); \
  }

#define NORM(name, Int, Scalar, Real, type)                                             \
  int name(void* handle, Int n, const Scalar*, Int incx, Real* result) {                \
    SCHEMA(name);                                                                       \
    return reduce(schema, handle, n, {type, incx}, {type, incx}, result, sizeof(Real)); \
  }

#define NORM_EX(name, Int)                                                                                \
  int name(void* handle, Int n, const void*, int x_type, Int incx, void* result, int result_type, int) {  \
    SCHEMA(name);                                                                                         \
    return reduce(schema, handle, n, {x_type, incx}, {x_type, incx}, result, element_bytes(result_type)); \
  }

#define LOCATE(name, Int, Scalar, type)                                 \
  int name(void* handle, Int n, const Scalar*, Int incx, Int* result) { \
    SCHEMA(name);                                                       \
    return locate(schema, handle, n, {type, incx}, result);             \
  }

#define LOCATE_EX(name, Int)                                                      \
  int name(void* handle, Int n, const void*, int x_type, Int incx, Int* result) { \
    SCHEMA(name);                                                                 \
    return locate(schema, handle, n, {x_type, incx}, result);                     \
  }

#define BOTH_WIDTHS(Macro, name, ...) Macro(name, int, __VA_ARGS__) Macro(name##_64, int64_t, __VA_ARGS__)
#define BOTH_WIDTHS_EX(Macro, name) Macro(name, int) Macro(name##_64, int64_t)

BOTH_WIDTHS(DOT, cublasSdot_v2, float, kR32F)
BOTH_WIDTHS(DOT, cublasDdot_v2, double, kR64F)
BOTH_WIDTHS(DOT, cublasCdotu_v2, void, kC32F)
BOTH_WIDTHS(DOT, cublasCdotc_v2, void, kC32F)
BOTH_WIDTHS(DOT, cublasZdotu_v2, void, kC64F)
BOTH_WIDTHS(DOT, cublasZdotc_v2, void, kC64F)
BOTH_WIDTHS_EX(DOT_EX, cublasDotEx)
BOTH_WIDTHS_EX(DOT_EX, cublasDotcEx)

BOTH_WIDTHS(NORM, cublasSnrm2_v2, float, float, kR32F)
BOTH_WIDTHS(NORM, cublasDnrm2_v2, double, double, kR64F)
BOTH_WIDTHS(NORM, cublasScnrm2_v2, void, float, kC32F)
BOTH_WIDTHS(NORM, cublasDznrm2_v2, void, double, kC64F)
BOTH_WIDTHS(NORM, cublasSasum_v2, float, float, kR32F)
BOTH_WIDTHS(NORM, cublasDasum_v2, double, double, kR64F)
BOTH_WIDTHS(NORM, cublasScasum_v2, void, float, kC32F)
BOTH_WIDTHS(NORM, cublasDzasum_v2, void, double, kC64F)
BOTH_WIDTHS_EX(NORM_EX, cublasNrm2Ex)
BOTH_WIDTHS_EX(NORM_EX, cublasAsumEx)

BOTH_WIDTHS(LOCATE, cublasIsamax_v2, float, kR32F)
BOTH_WIDTHS(LOCATE, cublasIdamax_v2, double, kR64F)
BOTH_WIDTHS(LOCATE, cublasIcamax_v2, void, kC32F)
BOTH_WIDTHS(LOCATE, cublasIzamax_v2, void, kC64F)
BOTH_WIDTHS(LOCATE, cublasIsamin_v2, float, kR32F)
BOTH_WIDTHS(LOCATE, cublasIdamin_v2, double, kR64F)
BOTH_WIDTHS(LOCATE, cublasIcamin_v2, void, kC32F)
BOTH_WIDTHS(LOCATE, cublasIzamin_v2, void, kC64F)
BOTH_WIDTHS_EX(LOCATE_EX, cublasIamaxEx)
BOTH_WIDTHS_EX(LOCATE_EX, cublasIaminEx)
