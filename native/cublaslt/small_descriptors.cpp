// Matrix layouts, search preferences, transforms and emulation settings.
#include "attributes.h"
#include "gen/cublasLt.h"

using namespace maya::cublaslt;

namespace {

const Field kLayoutFields[] = {
    MAYA_LT_FIELD(0, Layout, type),       MAYA_LT_FIELD(1, Layout, order), MAYA_LT_FIELD(2, Layout, rows),
    MAYA_LT_FIELD(3, Layout, cols),       MAYA_LT_FIELD(4, Layout, ld),    MAYA_LT_FIELD(5, Layout, batch),
    MAYA_LT_FIELD(6, Layout, stride),     MAYA_LT_FIELD(7, Layout, plane),
#if MAYA_CUDA_MAJOR >= 13
    MAYA_LT_FIELD(8, Layout, batch_mode),
#endif
};

const Field kPreferenceFields[] = {
    MAYA_LT_FIELD(0, Preference, search_mode),
    MAYA_LT_FIELD(1, Preference, max_workspace_bytes),
    MAYA_LT_FIELD(3, Preference, reduction_mask),
    MAYA_LT_ELEMENT(5, Preference, min_alignment, 0),
    MAYA_LT_ELEMENT(6, Preference, min_alignment, 1),
    MAYA_LT_ELEMENT(7, Preference, min_alignment, 2),
    MAYA_LT_ELEMENT(8, Preference, min_alignment, 3),
    MAYA_LT_FIELD(9, Preference, max_waves),
    MAYA_LT_FIELD(12, Preference, impl_mask),
#if MAYA_CUDA_MAJOR >= 13
    MAYA_LT_ELEMENT(13, Preference, grouped_average, 0),
    MAYA_LT_ELEMENT(14, Preference, grouped_average, 1),
    MAYA_LT_ELEMENT(15, Preference, grouped_average, 2),
#endif
};

const Field kTransformFields[] = {
    MAYA_LT_FIELD(0, Transform, scale_type),
    MAYA_LT_FIELD(1, Transform, pointer_mode),
    MAYA_LT_FIELD(2, Transform, transa),
    MAYA_LT_FIELD(3, Transform, transb),
};

Layout layout_of(int type, uint64_t rows, uint64_t cols, int64_t ld) {
  Layout layout;
  layout.type = type;
  layout.rows = rows;
  layout.cols = cols;
  layout.ld = ld;
  return layout;
}

Transform transform_of(int scale_type) {
  Transform transform;
  transform.scale_type = scale_type;
  return transform;
}

}  // namespace

int cublasLtMatrixLayoutInit_internal(void* layout, size_t size, int type, uint64_t rows, uint64_t cols,
                                      int64_t ld) {
  return initialize(layout, size, layout_of(type, rows, cols, ld));
}

int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t cols, int64_t ld) {
  return make(layout, layout_of(type, rows, cols, ld));
}

int cublasLtMatrixLayoutDestroy(void* layout) {
  return dispose<Layout>(layout);
}

int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* data, size_t bytes) {
  return write_attribute<Layout>(kLayoutFields, layout, attribute, data, bytes);
}

int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* data, size_t bytes, size_t* written) {
  return read_attribute<Layout>(kLayoutFields, layout, attribute, data, bytes, written);
}

int cublasLtMatmulPreferenceInit_internal(void* preference, size_t size) {
  return initialize(preference, size, Preference{});
}

int cublasLtMatmulPreferenceCreate(void** preference) {
  return make(preference, Preference{});
}

int cublasLtMatmulPreferenceDestroy(void* preference) {
  return dispose<Preference>(preference);
}

int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* data, size_t bytes) {
  return write_attribute<Preference>(kPreferenceFields, preference, attribute, data, bytes);
}

int cublasLtMatmulPreferenceGetAttribute(void* preference, int attribute, void* data, size_t bytes,
                                         size_t* written) {
  return read_attribute<Preference>(kPreferenceFields, preference, attribute, data, bytes, written);
}

int cublasLtMatrixTransformDescInit_internal(void* transform, size_t size, int scale_type) {
  return initialize(transform, size, transform_of(scale_type));
}

int cublasLtMatrixTransformDescCreate(void** transform, int scale_type) {
  return make(transform, transform_of(scale_type));
}

int cublasLtMatrixTransformDescDestroy(void* transform) {
  return dispose<Transform>(transform);
}

int cublasLtMatrixTransformDescSetAttribute(void* transform, int attribute, const void* data, size_t bytes) {
  return write_attribute<Transform>(kTransformFields, transform, attribute, data, bytes);
}

int cublasLtMatrixTransformDescGetAttribute(void* transform, int attribute, void* data, size_t bytes,
                                            size_t* written) {
  return read_attribute<Transform>(kTransformFields, transform, attribute, data, bytes, written);
}

#if MAYA_CUDA_MAJOR >= 13
namespace {

const Field kEmulationFields[] = {
    MAYA_LT_FIELD(0, Emulation, strategy),
    MAYA_LT_FIELD(1, Emulation, special_values),
    MAYA_LT_FIELD(2, Emulation, mantissa_control),
    MAYA_LT_FIELD(3, Emulation, max_mantissa_bits),
    MAYA_LT_FIELD(4, Emulation, mantissa_bit_offset),
    MAYA_LT_FIELD(5, Emulation, mantissa_bits),
};

}  // namespace

int cublasLtEmulationDescInit_internal(void* emulation, size_t size) {
  return initialize(emulation, size, Emulation{});
}

int cublasLtEmulationDescCreate(void** emulation) {
  return make(emulation, Emulation{});
}

int cublasLtEmulationDescDestroy(void* emulation) {
  return dispose<Emulation>(emulation);
}

int cublasLtEmulationDescSetAttribute(void* emulation, int attribute, const void* data, size_t bytes) {
  return write_attribute<Emulation>(kEmulationFields, emulation, attribute, data, bytes);
}

int cublasLtEmulationDescGetAttribute(void* emulation, int attribute, void* data, size_t bytes,
                                      size_t* written) {
  return read_attribute<Emulation>(kEmulationFields, emulation, attribute, data, bytes, written);
}
#endif
