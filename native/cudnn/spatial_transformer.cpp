// Spatial transformers: grids of sampling points, and sampling.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct TransformerDesc {
  static constexpr int kObject = kSpatialTransformerObject;
  int sampler = 0;
  int type = 0;
  int dims = 0;
  int dim[kMaxDims] = {};
};

constexpr const char* kGridFields[] = {"type", "n", "c", "h", "w"};
MAYA_CUDNN_SCHEMA(grid_forward_schema, "cudnnSpatialTfGridGeneratorForward", kGridFields);
MAYA_CUDNN_SCHEMA(grid_backward_schema, "cudnnSpatialTfGridGeneratorBackward", kGridFields);
constexpr const char* kSampleFields[] = {"type", "n", "c", "in_h", "in_w", "out_h", "out_w"};
MAYA_CUDNN_SCHEMA(sample_forward_schema, "cudnnSpatialTfSamplerForward", kSampleFields);
MAYA_CUDNN_SCHEMA(sample_backward_schema, "cudnnSpatialTfSamplerBackward", kSampleFields);

int make_grid(maya::Schema& schema, void* handle, void* desc, void* result) {
  maya::Handle* owner = library(handle);
  TransformerDesc transformer;
  if (!owner) return kBadParam;
  if (!load(desc, &transformer)) return fail(kBadParam, "not a set spatial transformer descriptor");
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  const int* dim = transformer.dim;
  maya::submit(schema, {cuda_type(transformer.type), dim[0], dim[1], dim[2], dim[3]},
               maya::stream_of(*owner));
  written(result);
  return kSuccess;
}

int sample(maya::Schema& schema, void* handle, void* desc, void* x_desc, void* y_desc, void* result) {
  maya::Handle* owner = library(handle);
  TransformerDesc transformer;
  TensorDesc x, y;
  if (!owner) return kBadParam;
  if (!load(desc, &transformer) || !load(x_desc, &x) || !load(y_desc, &y)) {
    return fail(kBadParam, "not a set descriptor");
  }
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  Shapes shapes;
  shapes.add(x).add(y);
  maya::submit(schema, {cuda_type(x.type), x.dim[0], x.dim[1], x.dim[2], x.dim[3], y.dim[2], y.dim[3]},
               maya::stream_of(*owner), 0, 0, shapes.blob());
  written(result);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateSpatialTransformerDescriptor(void** stDesc) {
  return create<TransformerDesc>(stDesc);
}
int cudnnDestroySpatialTransformerDescriptor(void* stDesc) {
  return destroy<TransformerDesc>(stDesc);
}

int cudnnSetSpatialTransformerNdDescriptor(void* stDesc, int samplerType, int dataType, int nbDims,
                                           const int* dimA) {
  if (!dimA) return fail(kBadParamNullPointer, "dimA == nullptr");
  if (nbDims < 3 || nbDims > 5) return fail(kBadParam, "nbDims out of range");
  if (nbDims != 4) return fail(kNotSupported, "only two spatial dimensions are supported");
  TransformerDesc desc;
  desc.sampler = samplerType;
  desc.type = dataType;
  desc.dims = nbDims;
  std::copy_n(dimA, nbDims, desc.dim);
  return assign(stDesc, desc);
}

int cudnnSpatialTfGridGeneratorForward(void* handle, void* stDesc, const void*, void* grid) {
  return make_grid(grid_forward_schema, handle, stDesc, grid);
}

int cudnnSpatialTfGridGeneratorBackward(void* handle, void* stDesc, const void*, void* dtheta) {
  return make_grid(grid_backward_schema, handle, stDesc, dtheta);
}

int cudnnSpatialTfSamplerForward(void* handle, void* stDesc, const void*, void* xDesc, const void*,
                                 const void*, const void*, void* yDesc, void* y) {
  return sample(sample_forward_schema, handle, stDesc, xDesc, yDesc, y);
}

int cudnnSpatialTfSamplerBackward(void* handle, void* stDesc, const void*, void* xDesc, const void*,
                                  const void*, void*, void* dx, const void*, void* dyDesc, const void*,
                                  const void*, const void*, void* dgrid) {
  int status = sample(sample_backward_schema, handle, stDesc, xDesc, dyDesc, dx);
  if (status == kSuccess) written(dgrid);
  return status;
}

}  // extern "C"
