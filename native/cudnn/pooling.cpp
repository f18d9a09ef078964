// Pooling.
#include <algorithm>
#include <vector>

#include "convolution.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct PoolingDesc {
  static constexpr int kObject = kPoolingObject;
  int mode = 0;
  int nan = 0;
  int dims = 0;
  int window[kMaxDims] = {};
  int pad[kMaxDims] = {};
  int stride[kMaxDims] = {};
};

constexpr const char* kFields[] = {"mode",     "x_type",   "y_type", "n",     "c",     "in_d",
                                   "in_h",     "in_w",     "out_d",  "out_h", "out_w", "window_d",
                                   "window_h", "window_w", "pad_d",  "pad_h", "pad_w", "stride_d",
                                   "stride_h", "stride_w", "nhwc"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnnPoolingForward", kFields);
MAYA_CUDNN_SCHEMA(backward_schema, "cudnnPoolingBackward", kFields);

// As many numbers along each axis as the recorded fields have; axes that are not there hold the default.
struct Axes {
  Axes(const int* numbers, int dims, int64_t missing) : at{missing, missing, missing} {
    spatial(at, numbers, dims);
  }
  int64_t at[3];
};

// In the order of kFields.
std::vector<int64_t> pooling_row(const PoolingDesc& pooling, const TensorDesc& x, const TensorDesc& y) {
  std::vector<int64_t> row = {pooling.mode, cuda_type(x.type), cuda_type(y.type), x.dim[0], x.dim[1]};
  const Axes all[] = {{x.dim + 2, pooling.dims, 1},
                      {y.dim + 2, pooling.dims, 1},
                      {pooling.window, pooling.dims, 1},
                      {pooling.pad, pooling.dims, 0},
                      {pooling.stride, pooling.dims, 1}};
  for (const Axes& axes : all) row.insert(row.end(), axes.at, axes.at + 3);
  row.push_back(channels_last(x));
  return row;
}

int pool(maya::Schema& schema, void* handle, void* pooling_desc, void* x_desc, void* y_desc, void* result) {
  maya::Handle* owner = library(handle);
  PoolingDesc pooling;
  TensorDesc x, y;
  if (!owner) return kBadParam;
  if (!load(pooling_desc, &pooling) || !load(x_desc, &x) || !load(y_desc, &y)) {
    return fail(kBadParam, "not a set descriptor");
  }
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  if (x.dims != pooling.dims + 2 || y.dims != x.dims || x.dim[0] != y.dim[0] || x.dim[1] != y.dim[1]) {
    return fail(kBadParamShapeMismatch, "tensors do not fit the pooling");
  }
  Shapes shapes;
  shapes.add(x).add(y);
  std::vector<int64_t> row = pooling_row(pooling, x, y);
  maya::submit(schema, row.data(), row.size(), maya::stream_of(*owner), 0, 0, shapes.blob());
  written(result);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreatePoolingDescriptor(void** poolingDesc) {
  return create<PoolingDesc>(poolingDesc);
}
int cudnnDestroyPoolingDescriptor(void* poolingDesc) {
  return destroy<PoolingDesc>(poolingDesc);
}

int cudnnSetPoolingNdDescriptor(void* poolingDesc, int mode, int maxpoolingNanOpt, int nbDims,
                                const int* windowDimA, const int* paddingA, const int* strideA) {
  if (nbDims < 1 || nbDims > 3) return fail(kBadParam, "nbDims out of range");
  if (!windowDimA || !paddingA || !strideA) return fail(kBadParamNullPointer, "null array");
  PoolingDesc desc;
  desc.mode = mode;
  desc.nan = maxpoolingNanOpt;
  desc.dims = nbDims;
  std::copy_n(windowDimA, nbDims, desc.window);
  std::copy_n(paddingA, nbDims, desc.pad);
  std::copy_n(strideA, nbDims, desc.stride);
  return assign(poolingDesc, desc);
}

int cudnnSetPooling2dDescriptor(void* poolingDesc, int mode, int maxpoolingNanOpt, int windowHeight,
                                int windowWidth, int verticalPadding, int horizontalPadding,
                                int verticalStride, int horizontalStride) {
  const int window[] = {windowHeight, windowWidth};
  const int pad[] = {verticalPadding, horizontalPadding};
  const int stride[] = {verticalStride, horizontalStride};
  return cudnnSetPoolingNdDescriptor(poolingDesc, mode, maxpoolingNanOpt, 2, window, pad, stride);
}

int cudnnGetPoolingNdDescriptor(void* poolingDesc, int nbDimsRequested, int* mode, int* maxpoolingNanOpt,
                                int* nbDims, int* windowDimA, int* paddingA, int* strideA) {
  PoolingDesc desc;
  if (!load(poolingDesc, &desc)) return fail(kBadParam, "not a set pooling descriptor");
  int count = std::min(std::max(nbDimsRequested, 0), desc.dims);
  store(mode, desc.mode);
  store(maxpoolingNanOpt, desc.nan);
  store(nbDims, desc.dims);
  if (windowDimA) std::copy_n(desc.window, count, windowDimA);
  if (paddingA) std::copy_n(desc.pad, count, paddingA);
  if (strideA) std::copy_n(desc.stride, count, strideA);
  return kSuccess;
}

int cudnnGetPooling2dDescriptor(void* poolingDesc, int* mode, int* maxpoolingNanOpt, int* windowHeight,
                                int* windowWidth, int* verticalPadding, int* horizontalPadding,
                                int* verticalStride, int* horizontalStride) {
  PoolingDesc desc;
  if (!load(poolingDesc, &desc)) return fail(kBadParam, "not a set pooling descriptor");
  store(mode, desc.mode);
  store(maxpoolingNanOpt, desc.nan);
  store(windowHeight, desc.window[0]);
  store(windowWidth, desc.window[1]);
  store(verticalPadding, desc.pad[0]);
  store(horizontalPadding, desc.pad[1]);
  store(verticalStride, desc.stride[0]);
  store(horizontalStride, desc.stride[1]);
  return kSuccess;
}

int cudnnGetPoolingNdForwardOutputDim(void* poolingDesc, void* inputTensorDesc, int nbDims,
                                      int* outputTensorDimA) {
  PoolingDesc desc;
  TensorDesc in;
  if (!load(poolingDesc, &desc) || !load(inputTensorDesc, &in) || !outputTensorDimA) {
    return fail(kBadParam, "not a set descriptor");
  }
  if (nbDims != desc.dims + 2 || in.dims != nbDims) return fail(kBadParamShapeMismatch, "ranks differ");
  std::copy_n(in.dim, 2, outputTensorDimA);
  for (int axis = 0; axis < desc.dims; ++axis) {
    int reach = in.dim[axis + 2] + 2 * desc.pad[axis] - desc.window[axis];
    outputTensorDimA[axis + 2] = 1 + reach / desc.stride[axis];
  }
  return kSuccess;
}

int cudnnGetPooling2dForwardOutputDim(void* poolingDesc, void* inputTensorDesc, int* n, int* c, int* h,
                                      int* w) {
  int dim[4] = {};
  int status = cudnnGetPoolingNdForwardOutputDim(poolingDesc, inputTensorDesc, 4, dim);
  if (status != kSuccess) return status;
  store(n, dim[0]);
  store(c, dim[1]);
  store(h, dim[2]);
  store(w, dim[3]);
  return kSuccess;
}

int cudnnPoolingForward(void* handle, void* poolingDesc, const void*, void* xDesc, const void*, const void*,
                        void* yDesc, void* y) {
  return pool(forward_schema, handle, poolingDesc, xDesc, yDesc, y);
}

int cudnnPoolingBackward(void* handle, void* poolingDesc, const void*, void* yDesc, const void*, void*,
                         const void*, void* xDesc, const void*, const void*, void*, void* dx) {
  return pool(backward_schema, handle, poolingDesc, xDesc, yDesc, dx);
}

}  // extern "C"
