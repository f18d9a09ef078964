// cublasLtMatmulDesc_t.
#include "attributes.h"
#include "gen/cublasLt.h"

using namespace maya::cublaslt;

namespace {

const Field kFields[] = {
    MAYA_LT_FIELD(0, Matmul, compute_type),
    MAYA_LT_FIELD(1, Matmul, scale_type),
    MAYA_LT_FIELD(2, Matmul, pointer_mode),
    MAYA_LT_FIELD(3, Matmul, transa),
    MAYA_LT_FIELD(4, Matmul, transb),
    MAYA_LT_FIELD(5, Matmul, transc),
    MAYA_LT_FIELD(6, Matmul, fill_mode),
    MAYA_LT_FIELD(7, Matmul, epilogue),
    MAYA_LT_FIELD(8, Matmul, bias),
    MAYA_LT_FIELD(10, Matmul, bias_stride),
    MAYA_LT_FIELD(11, Matmul, aux),
    MAYA_LT_FIELD(12, Matmul, aux_ld),
    MAYA_LT_FIELD(13, Matmul, aux_stride),
    MAYA_LT_FIELD(14, Matmul, alpha_vector_stride),
    MAYA_LT_FIELD(15, Matmul, sm_count_target),
    MAYA_LT_ELEMENT(17, Matmul, scale, 0),
    MAYA_LT_ELEMENT(18, Matmul, scale, 1),
    MAYA_LT_ELEMENT(19, Matmul, scale, 2),
    MAYA_LT_ELEMENT(20, Matmul, scale, 3),
    MAYA_LT_FIELD(21, Matmul, amax_d),
    MAYA_LT_FIELD(22, Matmul, aux_type),
    MAYA_LT_FIELD(23, Matmul, aux_scale),
    MAYA_LT_FIELD(24, Matmul, aux_amax),
    MAYA_LT_FIELD(25, Matmul, fast_accum),
    MAYA_LT_FIELD(26, Matmul, bias_type),
    MAYA_LT_ELEMENT(27, Matmul, chunks, 0),
    MAYA_LT_ELEMENT(28, Matmul, chunks, 1),
    MAYA_LT_ELEMENT(31, Matmul, scale_mode, 0),
    MAYA_LT_ELEMENT(32, Matmul, scale_mode, 1),
    MAYA_LT_ELEMENT(33, Matmul, scale_mode, 2),
    MAYA_LT_ELEMENT(34, Matmul, scale_mode, 3),
    MAYA_LT_FIELD(35, Matmul, aux_scale_mode),
    MAYA_LT_FIELD(36, Matmul, d_out_scale),
    MAYA_LT_FIELD(37, Matmul, d_out_scale_mode),
    MAYA_LT_FIELD(38, Matmul, emulation),
    MAYA_LT_FIELD(39, Matmul, alpha_stride),
    MAYA_LT_FIELD(40, Matmul, beta_stride),
};

Matmul initial(int compute_type, int scale_type) {
  Matmul matmul;
  matmul.compute_type = compute_type;
  matmul.scale_type = scale_type;
  return matmul;
}

}  // namespace

int cublasLtMatmulDescInit_internal(void* desc, size_t size, int compute_type, int scale_type) {
  return initialize(desc, size, initial(compute_type, scale_type));
}

int cublasLtMatmulDescCreate(void** desc, int compute_type, int scale_type) {
  return make(desc, initial(compute_type, scale_type));
}

int cublasLtMatmulDescDestroy(void* desc) {
  return dispose<Matmul>(desc);
}

int cublasLtMatmulDescSetAttribute(void* desc, int attribute, const void* data, size_t bytes) {
  return write_attribute<Matmul>(kFields, desc, attribute, data, bytes);
}

int cublasLtMatmulDescGetAttribute(void* desc, int attribute, void* data, size_t bytes, size_t* written) {
  return read_attribute<Matmul>(kFields, desc, attribute, data, bytes, written);
}
