// Tensor transform descriptors: padding, folding and layout of a copy.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct TransformDesc {
  static constexpr int kObject = kTensorTransformObject;
  uint32_t dims = 0;
  int format = 0;
  int32_t before[kMaxDims] = {};
  int32_t after[kMaxDims] = {};
  uint32_t fold[kMaxDims] = {};
  int direction = 0;
};

}  // namespace

extern "C" {

int cudnnCreateTensorTransformDescriptor(void** transformDesc) {
  return create<TransformDesc>(transformDesc);
}
int cudnnDestroyTensorTransformDescriptor(void* transformDesc) {
  return destroy<TransformDesc>(transformDesc);
}

int cudnnSetTensorTransformDescriptor(void* transformDesc, uint32_t nbDims, int destFormat,
                                      const int32_t* padBeforeA, const int32_t* padAfterA,
                                      const uint32_t* foldA, int direction) {
  if (nbDims < 1 || nbDims > kMaxDims) return fail(kBadParam, "nbDims out of range");
  TransformDesc desc;
  desc.dims = nbDims;
  desc.format = destFormat;
  desc.direction = direction;
  if (padBeforeA) std::copy_n(padBeforeA, nbDims, desc.before);
  if (padAfterA) std::copy_n(padAfterA, nbDims, desc.after);
  if (foldA && nbDims > 2) std::copy_n(foldA, nbDims - 2, desc.fold);
  return assign(transformDesc, desc);
}

int cudnnGetTensorTransformDescriptor(void* transformDesc, uint32_t nbDimsRequested, int* destFormat,
                                      int32_t* padBeforeA, int32_t* padAfterA, uint32_t* foldA,
                                      int* direction) {
  TransformDesc desc;
  if (!load(transformDesc, &desc)) return fail(kBadParam, "not a set transform descriptor");
  uint32_t count = std::min(nbDimsRequested, desc.dims);
  store(destFormat, desc.format);
  store(direction, desc.direction);
  if (padBeforeA) std::copy_n(desc.before, count, padBeforeA);
  if (padAfterA) std::copy_n(desc.after, count, padAfterA);
  if (foldA && count > 2) std::copy_n(desc.fold, count - 2, foldA);
  return kSuccess;
}

int cudnnInitTransformDest(void* transformDesc, void* srcDesc, void* destDesc, size_t* destSizeInBytes) {
  TransformDesc desc;
  TensorDesc source;
  if (!load(transformDesc, &desc) || !load(srcDesc, &source)) return fail(kBadParam, "not a set descriptor");
  int dim[kMaxDims];
  for (int axis = 0; axis < source.dims; ++axis) {
    dim[axis] = source.dim[axis] + desc.before[axis] + desc.after[axis];
  }
  int status = cudnnSetTensorNdDescriptorEx(destDesc, desc.format, source.type, source.dims, dim);
  return status == kSuccess && destSizeInBytes ? cudnnGetTensorSizeInBytes(destDesc, destSizeInBytes)
                                               : status;
}

}  // extern "C"
