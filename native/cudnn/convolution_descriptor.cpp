// Convolution descriptors and the output sizes they imply.
#include <algorithm>

#include "convolution.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

// Setting one property keeps the others, which have defaults from creation on.
template <typename Change>
int modify(void* descriptor, Change change) {
  if (!find(descriptor, kConvolutionObject)) return fail(kBadParam, "not a convolution descriptor");
  ConvolutionDesc desc;
  load(descriptor, &desc);
  change(desc);
  return assign(descriptor, desc);
}

int output_extent(const ConvolutionDesc& conv, const TensorDesc& in, const FilterDesc& filter, int axis) {
  int window = (filter.dim[axis + 2] - 1) * conv.dilation[axis] + 1;
  return (in.dim[axis + 2] + 2 * conv.pad[axis] - window) / conv.stride[axis] + 1;
}

}  // namespace

extern "C" {

int cudnnCreateConvolutionDescriptor(void** convDesc) {
  return create<ConvolutionDesc>(convDesc);
}
int cudnnDestroyConvolutionDescriptor(void* convDesc) {
  return destroy<ConvolutionDesc>(convDesc);
}

int cudnnSetConvolutionNdDescriptor(void* convDesc, int arrayLength, const int* padA,
                                    const int* filterStrideA, const int* dilationA, int mode,
                                    int computeType) {
  if (arrayLength < 1 || arrayLength > kMaxDims - 2) return fail(kBadParam, "arrayLength out of range");
  if (!padA || !filterStrideA || !dilationA) return fail(kBadParamNullPointer, "null array");
  for (int axis = 0; axis < arrayLength; ++axis) {
    if (padA[axis] < 0 || filterStrideA[axis] < 1 || dilationA[axis] < 1) {
      return fail(kBadParam, "padding must not be negative, stride and dilation must be positive");
    }
  }
  return modify(convDesc, [&](ConvolutionDesc& desc) {
    desc.dims = arrayLength;
    std::copy_n(padA, arrayLength, desc.pad);
    std::copy_n(filterStrideA, arrayLength, desc.stride);
    std::copy_n(dilationA, arrayLength, desc.dilation);
    desc.mode = mode;
    desc.compute_type = computeType;
  });
}

int cudnnSetConvolution2dDescriptor(void* convDesc, int pad_h, int pad_w, int u, int v, int dilation_h,
                                    int dilation_w, int mode, int computeType) {
  const int pad[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(convDesc, 2, pad, stride, dilation, mode, computeType);
}

int cudnnGetConvolutionNdDescriptor(void* convDesc, int arrayLengthRequested, int* arrayLength, int* padA,
                                    int* strideA, int* dilationA, int* mode, int* computeType) {
  ConvolutionDesc desc;
  if (!load(convDesc, &desc)) return fail(kBadParam, "not a set convolution descriptor");
  int count = std::min(std::max(arrayLengthRequested, 0), desc.dims);
  store(arrayLength, desc.dims);
  if (padA) std::copy_n(desc.pad, count, padA);
  if (strideA) std::copy_n(desc.stride, count, strideA);
  if (dilationA) std::copy_n(desc.dilation, count, dilationA);
  store(mode, desc.mode);
  store(computeType, desc.compute_type);
  return kSuccess;
}

int cudnnGetConvolution2dDescriptor(void* convDesc, int* pad_h, int* pad_w, int* u, int* v, int* dilation_h,
                                    int* dilation_w, int* mode, int* computeType) {
  ConvolutionDesc desc;
  if (!load(convDesc, &desc)) return fail(kBadParam, "not a set convolution descriptor");
  store(pad_h, desc.pad[0]);
  store(pad_w, desc.pad[1]);
  store(u, desc.stride[0]);
  store(v, desc.stride[1]);
  store(dilation_h, desc.dilation[0]);
  store(dilation_w, desc.dilation[1]);
  store(mode, desc.mode);
  store(computeType, desc.compute_type);
  return kSuccess;
}

int cudnnSetConvolutionMathType(void* convDesc, int mathType) {
  if (mathType < kDefaultMath || mathType > kFmaMath) return fail(kBadParam, "unknown math type");
  return modify(convDesc, [&](ConvolutionDesc& desc) { desc.math_type = mathType; });
}

int cudnnSetConvolutionGroupCount(void* convDesc, int groupCount) {
  if (groupCount < 1) return fail(kBadParam, "groupCount must be positive");
  return modify(convDesc, [&](ConvolutionDesc& desc) { desc.groups = groupCount; });
}

int cudnnSetConvolutionReorderType(void* convDesc, int reorderType) {
  return modify(convDesc, [&](ConvolutionDesc& desc) { desc.reorder = reorderType; });
}

int cudnnGetConvolutionMathType(void* convDesc, int* mathType) {
  return modify(convDesc, [&](ConvolutionDesc& desc) { store(mathType, desc.math_type); });
}

int cudnnGetConvolutionGroupCount(void* convDesc, int* groupCount) {
  return modify(convDesc, [&](ConvolutionDesc& desc) { store(groupCount, desc.groups); });
}

int cudnnGetConvolutionReorderType(void* convDesc, int* reorderType) {
  return modify(convDesc, [&](ConvolutionDesc& desc) { store(reorderType, desc.reorder); });
}

int cudnnGetConvolutionNdForwardOutputDim(void* convDesc, void* inputTensorDesc, void* filterDesc, int nbDims,
                                          int* tensorOuputDimA) {
  ConvolutionDesc conv;
  TensorDesc in;
  FilterDesc filter;
  if (!load(convDesc, &conv) || !load(inputTensorDesc, &in) || !load(filterDesc, &filter) ||
      !tensorOuputDimA) {
    return fail(kBadParam, "not a set descriptor");
  }
  if (nbDims != conv.dims + 2 || in.dims != nbDims || filter.dims != nbDims) {
    return fail(kBadParamShapeMismatch, "ranks of input, filter and convolution differ");
  }
  tensorOuputDimA[0] = in.dim[0];
  tensorOuputDimA[1] = filter.dim[0];
  for (int axis = 0; axis < conv.dims; ++axis) {
    tensorOuputDimA[axis + 2] = output_extent(conv, in, filter, axis);
  }
  return kSuccess;
}

int cudnnGetConvolution2dForwardOutputDim(void* convDesc, void* inputTensorDesc, void* filterDesc, int* n,
                                          int* c, int* h, int* w) {
  int dim[4] = {};
  int status = cudnnGetConvolutionNdForwardOutputDim(convDesc, inputTensorDesc, filterDesc, 4, dim);
  if (status != kSuccess) return status;
  store(n, dim[0]);
  store(c, dim[1]);
  store(h, dim[2]);
  store(w, dim[3]);
  return kSuccess;
}

}  // extern "C"
