// cublasSet/GetVector and cublasSet/GetMatrix: copies with strides.
#include "constants.h"
#include "gen/cublas.h"

using namespace maya;
using namespace maya::cublas;

namespace {

int transfer_vector(int64_t n, int64_t element, const void* x, int64_t incx, void* y, int64_t incy,
                    void* stream_handle, bool blocking) {
  if (n < 0 || element <= 0 || incx <= 0 || incy <= 0) return kInvalidValue;
  Stream* stream = find_stream(stream_handle);
  if (!stream) return kMappingError;
  if (n == 0) return kSuccess;
  if (incx == 1 && incy == 1) {
    copy(y, x, n * element, *stream, blocking);
  } else {
    copy_2d(y, incy * element, x, incx * element, element, n, *stream, blocking);
  }
  return kSuccess;
}

int transfer_matrix(int64_t rows, int64_t cols, int64_t element, const void* a, int64_t lda, void* b,
                    int64_t ldb, void* stream_handle, bool blocking) {
  if (rows < 0 || cols < 0 || element <= 0 || lda < rows || ldb < rows || lda <= 0 || ldb <= 0)
    return kInvalidValue;
  Stream* stream = find_stream(stream_handle);
  if (!stream) return kMappingError;
  if (rows == 0 || cols == 0) return kSuccess;
  copy_2d(b, ldb * element, a, lda * element, rows * element, cols, *stream, blocking);
  return kSuccess;
}

}  // namespace

#define VECTOR(name, Int)                                                    \
  int name(Int n, Int element, const void* x, Int incx, void* y, Int incy) { \
    return transfer_vector(n, element, x, incx, y, incy, nullptr, true);     \
  }
#define VECTOR_ASYNC(name, Int)                                                            \
  int name(Int n, Int element, const void* x, Int incx, void* y, Int incy, void* stream) { \
    return transfer_vector(n, element, x, incx, y, incy, stream, false);                   \
  }
#define MATRIX(name, Int)                                                               \
  int name(Int rows, Int cols, Int element, const void* a, Int lda, void* b, Int ldb) { \
    return transfer_matrix(rows, cols, element, a, lda, b, ldb, nullptr, true);         \
  }
#define MATRIX_ASYNC(name, Int)                                                                       \
  int name(Int rows, Int cols, Int element, const void* a, Int lda, void* b, Int ldb, void* stream) { \
    return transfer_matrix(rows, cols, element, a, lda, b, ldb, stream, false);                       \
  }
#define BOTH_WIDTHS(Macro, name) Macro(name, int) Macro(name##_64, int64_t)

BOTH_WIDTHS(VECTOR, cublasSetVector)
BOTH_WIDTHS(VECTOR, cublasGetVector)
BOTH_WIDTHS(VECTOR_ASYNC, cublasSetVectorAsync)
BOTH_WIDTHS(VECTOR_ASYNC, cublasGetVectorAsync)
BOTH_WIDTHS(MATRIX, cublasSetMatrix)
BOTH_WIDTHS(MATRIX, cublasGetMatrix)
BOTH_WIDTHS(MATRIX_ASYNC, cublasSetMatrixAsync)
BOTH_WIDTHS(MATRIX_ASYNC, cublasGetMatrixAsync)
