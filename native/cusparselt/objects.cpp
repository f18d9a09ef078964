// Life and attributes of cuSPARSELt's objects.
#include "descriptors.h"
#include "gen/cusparseLt.h"

using namespace maya;
using namespace maya::cusparselt;

namespace {

constexpr int kMaxAlgorithm = 1;
constexpr int kAlgorithmCount = 4;  // enough for a search to have something to compare

const Field kMatrixFields[] = {
    MAYA_SPLT_FIELD(0, Matrix, batch),
    MAYA_SPLT_FIELD(1, Matrix, stride),
};

const Field kMatmulFields[] = {
    MAYA_SPLT_FIELD(0, Matmul, relu),
    MAYA_SPLT_FIELD(1, Matmul, relu_upper_bound),
    MAYA_SPLT_FIELD(2, Matmul, relu_threshold),
    MAYA_SPLT_FIELD(3, Matmul, gelu),
    MAYA_SPLT_FIELD(4, Matmul, gelu_scaling),
    MAYA_SPLT_FIELD(5, Matmul, alpha_vector),
    MAYA_SPLT_FIELD(6, Matmul, beta_vector),
    MAYA_SPLT_FIELD(7, Matmul, bias_stride),
    MAYA_SPLT_FIELD(8, Matmul, bias),
    MAYA_SPLT_FIELD(9, Matmul, sparse_matrix),
    MAYA_SPLT_ELEMENT(10, Matmul, scale_mode, 0),
    MAYA_SPLT_ELEMENT(11, Matmul, scale_mode, 1),
    MAYA_SPLT_ELEMENT(12, Matmul, scale_mode, 2),
    MAYA_SPLT_ELEMENT(13, Matmul, scale_mode, 3),
    MAYA_SPLT_ELEMENT(14, Matmul, scale_mode, 4),
    MAYA_SPLT_ELEMENT(15, Matmul, scale, 0),
    MAYA_SPLT_ELEMENT(16, Matmul, scale, 1),
    MAYA_SPLT_ELEMENT(17, Matmul, scale, 2),
    MAYA_SPLT_ELEMENT(18, Matmul, scale, 3),
    MAYA_SPLT_ELEMENT(19, Matmul, scale, 4),
};

const Field kSelectionFields[] = {
    MAYA_SPLT_FIELD(0, Selection, id),
    MAYA_SPLT_FIELD(2, Selection, search_iterations),
    MAYA_SPLT_FIELD(3, Selection, split_k),
    MAYA_SPLT_FIELD(4, Selection, split_k_mode),
    MAYA_SPLT_FIELD(5, Selection, split_k_buffers),
};

int describe(const void* handle, void* matrix, int64_t rows, int64_t cols, int64_t ld, uint32_t alignment,
             int type, int order, int structured) {
  if (!is_handle(handle)) return kNotInitialized;
  const bool by_column = order == 1;
  if (rows <= 0 || cols <= 0 || ld < (by_column ? rows : cols)) return kInvalidValue;
  Matrix made;
  made.structured = structured;
  made.rows = rows;
  made.cols = cols;
  made.ld = ld;
  made.alignment = alignment;
  made.type = type;
  made.order = order;
  return initialize(matrix, made);
}

}  // namespace

int cusparseLtInit(void* handle) {
  if (!handle) return kInvalidValue;
  if (!usable_in_this_process()) return kNotInitialized;
  ensure_context(current_device());
  Context context;
  context.device = current_device();
  return initialize(handle, context);
}

int cusparseLtDestroy(const void* handle) {
  return dispose<Context>(handle) ? kNotInitialized : kSuccess;
}

int cusparseLtDenseDescriptorInit(const void* handle, void* matrix, int64_t rows, int64_t cols, int64_t ld,
                                  uint32_t alignment, int type, int order) {
  return describe(handle, matrix, rows, cols, ld, alignment, type, order, 0);
}

int cusparseLtStructuredDescriptorInit(const void* handle, void* matrix, int64_t rows, int64_t cols,
                                       int64_t ld, uint32_t alignment, int type, int order, int) {
  return describe(handle, matrix, rows, cols, ld, alignment, type, order, 1);
}

int cusparseLtMatDescriptorDestroy(const void* matrix) {
  return dispose<Matrix>(matrix);
}

int cusparseLtMatDescSetAttribute(const void* handle, void* matrix, int attribute, const void* data,
                                  size_t bytes) {
  return write_attribute<Matrix>(kMatrixFields, handle, matrix, attribute, data, bytes);
}

int cusparseLtMatDescGetAttribute(const void* handle, const void* matrix, int attribute, void* data,
                                  size_t bytes) {
  return read_attribute<Matrix>(kMatrixFields, handle, matrix, attribute, data, bytes);
}

int cusparseLtMatmulDescriptorInit(const void* handle, void* matmul, int op_a, int op_b, const void* a,
                                   const void* b, const void* c, const void* d, int compute_type) {
  if (!is_handle(handle)) return kNotInitialized;
  const Matrix *matrix_a = as<Matrix>(a), *matrix_b = as<Matrix>(b), *matrix_c = as<Matrix>(c),
               *matrix_d = as<Matrix>(d);
  if (!matrix_a || !matrix_b || !matrix_c || !matrix_d) return kInvalidValue;
  if (matrix_a->structured == matrix_b->structured) return kInvalidValue;  // exactly one is sparse
  Matmul made;
  made.op_a = op_a;
  made.op_b = op_b;
  made.compute_type = compute_type;
  made.a = *matrix_a;
  made.b = *matrix_b;
  made.c = *matrix_c;
  made.d = *matrix_d;
  return initialize(matmul, made);
}

int cusparseLtMatmulDescSetAttribute(const void* handle, void* matmul, int attribute, const void* data,
                                     size_t bytes) {
  return write_attribute<Matmul>(kMatmulFields, handle, matmul, attribute, data, bytes);
}

int cusparseLtMatmulDescGetAttribute(const void* handle, const void* matmul, int attribute, void* data,
                                     size_t bytes) {
  return read_attribute<Matmul>(kMatmulFields, handle, matmul, attribute, data, bytes);
}

int cusparseLtMatmulAlgSelectionInit(const void* handle, void* selection, const void* matmul, int) {
  if (!is_handle(handle)) return kNotInitialized;
  return as<Matmul>(matmul) ? initialize(selection, Selection{}) : kInvalidValue;
}

int cusparseLtMatmulAlgSelectionDestroy(const void* selection) {
  return dispose<Selection>(selection);
}

int cusparseLtMatmulAlgSetAttribute(const void* handle, void* selection, int attribute, const void* data,
                                    size_t bytes) {
  return write_attribute<Selection>(kSelectionFields, handle, selection, attribute, data, bytes);
}

int cusparseLtMatmulAlgGetAttribute(const void* handle, const void* selection, int attribute, void* data,
                                    size_t bytes) {
  if (attribute != kMaxAlgorithm) {
    return read_attribute<Selection>(kSelectionFields, handle, selection, attribute, data, bytes);
  }
  if (!is_handle(handle)) return kNotInitialized;
  if (!data || bytes != sizeof kAlgorithmCount) return kInvalidValue;
  memcpy(data, &kAlgorithmCount, bytes);
  return kSuccess;
}

int cusparseLtMatmulPlanInit(const void* handle, void* plan, const void* matmul, const void* selection) {
  if (!is_handle(handle)) return kNotInitialized;
  const Matmul* product = as<Matmul>(matmul);
  const Selection* algorithm = as<Selection>(selection);
  if (!product || !algorithm) return kInvalidValue;
  Plan made;
  made.matmul = *product;
  made.selection = *algorithm;
  return initialize(plan, made);
}

int cusparseLtMatmulPlanDestroy(const void* plan) {
  return dispose<Plan>(plan);
}

int cusparseLtGetVersion(const void* handle, int* version) {
  if (!is_handle(handle)) return kNotInitialized;
  if (!version) return kInvalidValue;
  *version = kVersion.major * 10000 + kVersion.minor * 100 + kVersion.patch;
  return kSuccess;
}

int cusparseLtGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}

const char* cusparseLtGetErrorName(int status) {
  switch (status) {
    case kSuccess:
      return "CUSPARSE_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case kInvalidValue:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case kNotSupported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
    default:
      return "unrecognized error code";
  }
}

const char* cusparseLtGetErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kNotInitialized:
      return "initialization error";
    case kInvalidValue:
      return "invalid value";
    case kNotSupported:
      return "operation not supported";
    default:
      return "unrecognized error code";
  }
}
