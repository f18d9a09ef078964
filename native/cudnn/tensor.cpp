// Tensor and filter descriptors.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"

namespace maya::cudnn {
namespace {

// Strides of a dense tensor with channels last where the format says so.
void dense_strides(TensorDesc* tensor, int format) {
  int64_t stride = 1;
  auto give = [&](int axis) {
    tensor->stride[axis] = static_cast<int>(stride);
    stride *= tensor->dim[axis];
  };
  bool last = format == kNhwc && tensor->dims > 2;
  if (last) give(1);
  for (int axis = tensor->dims - 1; axis >= 0; --axis) {
    if (!(last && axis == 1)) give(axis);
  }
}

bool valid(int dims, const int* dim) {
  if (dims < 1 || dims > kMaxDims || !dim) return false;
  return std::all_of(dim, dim + dims, [](int extent) { return extent > 0; });
}

int set_dense(void* descriptor, int format, int type, int dims, const int* dim) {
  if (!valid(dims, dim)) return fail(kBadParam, "dimensions must be 1 to 8 positive numbers");
  TensorDesc tensor = packed(type, dims, dim);
  dense_strides(&tensor, format);
  return assign(descriptor, tensor);
}

}  // namespace

size_t bytes_of(int data_type) {
  constexpr unsigned char kBytes[] = {4, 8, 2, 1, 4, 4, 1, 4, 32, 2,  8, 1,
                                      1, 1, 4, 1, 1, 1, 1, 4, 8,  16, 1, 1};
  return data_type >= 0 && data_type < static_cast<int>(sizeof kBytes) ? kBytes[data_type] : 4;
}

int64_t cuda_type(int64_t data_type) {
  constexpr signed char kTypes[] = {0,  1,  2, 3,  10, 3,  8,  8,  3, 14, 24, 8,
                                    28, 29, 0, 30, 33, 16, 18, 12, 4, 5,  8,  28};
  return data_type >= 0 && data_type < static_cast<int64_t>(sizeof kTypes) ? kTypes[data_type] : -1;
}

int64_t elements(const TensorDesc& tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor.dims; ++axis) count *= tensor.dim[axis];
  return count;
}

int64_t elements(const FilterDesc& filter) {
  int64_t count = 1;
  for (int axis = 0; axis < filter.dims; ++axis) count *= filter.dim[axis];
  return count;
}

size_t bytes_of(const TensorDesc& tensor) {
  int64_t last = 0;
  for (int axis = 0; axis < tensor.dims; ++axis) {
    last += static_cast<int64_t>(tensor.dim[axis] - 1) * tensor.stride[axis];
  }
  return static_cast<size_t>(last + 1) * bytes_of(tensor.type);
}

size_t bytes_of(const FilterDesc& filter) {
  return static_cast<size_t>(elements(filter)) * bytes_of(filter.type);
}

TensorDesc packed(int type, int dims, const int* dim) {
  TensorDesc tensor;
  tensor.type = type;
  tensor.dims = dims;
  std::copy_n(dim, dims, tensor.dim);
  dense_strides(&tensor, kNchw);
  return tensor;
}

bool channels_last(const TensorDesc& tensor) {
  if (tensor.dims < 3 || tensor.stride[1] != 1) return false;
  return tensor.dim[1] > 1 || tensor.stride[tensor.dims - 1] == tensor.dim[1];
}

Shapes& Shapes::add(const TensorDesc& tensor) {
  words_.push_back(tensor.type);
  words_.push_back(tensor.dims);
  words_.insert(words_.end(), tensor.dim, tensor.dim + tensor.dims);
  words_.insert(words_.end(), tensor.stride, tensor.stride + tensor.dims);
  return *this;
}

Shapes& Shapes::add(const FilterDesc& filter) {
  TensorDesc tensor = packed(filter.type, filter.dims, filter.dim);
  dense_strides(&tensor, filter.format);
  return add(tensor);
}

}  // namespace maya::cudnn

using namespace maya::cudnn;

extern "C" {

int cudnnCreateTensorDescriptor(void** tensorDesc) {
  return create<TensorDesc>(tensorDesc);
}
int cudnnDestroyTensorDescriptor(void* tensorDesc) {
  return destroy<TensorDesc>(tensorDesc);
}
int cudnnCreateFilterDescriptor(void** filterDesc) {
  return create<FilterDesc>(filterDesc);
}
int cudnnDestroyFilterDescriptor(void* filterDesc) {
  return destroy<FilterDesc>(filterDesc);
}

int cudnnSetTensor4dDescriptor(void* tensorDesc, int format, int dataType, int n, int c, int h, int w) {
  const int dim[] = {n, c, h, w};
  return set_dense(tensorDesc, format, dataType, 4, dim);
}

int cudnnSetTensorNdDescriptorEx(void* tensorDesc, int format, int dataType, int nbDims, const int* dimA) {
  return set_dense(tensorDesc, format, dataType, nbDims, dimA);
}

int cudnnSetTensorNdDescriptor(void* tensorDesc, int dataType, int nbDims, const int* dimA,
                               const int* strideA) {
  if (!valid(nbDims, dimA) || !strideA) return fail(kBadParam, "dimensions must be 1 to 8 positive numbers");
  TensorDesc tensor = packed(dataType, nbDims, dimA);
  std::copy_n(strideA, nbDims, tensor.stride);
  return assign(tensorDesc, tensor);
}

int cudnnSetTensor4dDescriptorEx(void* tensorDesc, int dataType, int n, int c, int h, int w, int nStride,
                                 int cStride, int hStride, int wStride) {
  const int dim[] = {n, c, h, w};
  const int stride[] = {nStride, cStride, hStride, wStride};
  return cudnnSetTensorNdDescriptor(tensorDesc, dataType, 4, dim, stride);
}

int cudnnGetTensorNdDescriptor(void* tensorDesc, int nbDimsRequested, int* dataType, int* nbDims, int* dimA,
                               int* strideA) {
  TensorDesc tensor;
  if (!load(tensorDesc, &tensor)) return fail(kBadParam, "tensorDesc is not a set tensor descriptor");
  int count = std::min(std::max(nbDimsRequested, 0), tensor.dims);
  store(dataType, tensor.type);
  store(nbDims, tensor.dims);
  if (dimA) std::copy_n(tensor.dim, count, dimA);
  if (strideA) std::copy_n(tensor.stride, count, strideA);
  return kSuccess;
}

int cudnnGetTensor4dDescriptor(void* tensorDesc, int* dataType, int* n, int* c, int* h, int* w, int* nStride,
                               int* cStride, int* hStride, int* wStride) {
  TensorDesc tensor;
  if (!load(tensorDesc, &tensor)) return fail(kBadParam, "tensorDesc is not a set tensor descriptor");
  int* dim[] = {n, c, h, w};
  int* stride[] = {nStride, cStride, hStride, wStride};
  store(dataType, tensor.type);
  for (int axis = 0; axis < 4; ++axis) {
    store(dim[axis], axis < tensor.dims ? tensor.dim[axis] : 1);
    store(stride[axis], axis < tensor.dims ? tensor.stride[axis] : 1);
  }
  return kSuccess;
}

int cudnnGetTensorSizeInBytes(void* tensorDesc, size_t* size) {
  TensorDesc tensor;
  if (!load(tensorDesc, &tensor) || !size)
    return fail(kBadParam, "tensorDesc is not a set tensor descriptor");
  *size = bytes_of(tensor);
  return kSuccess;
}

int cudnnSetFilterNdDescriptor(void* filterDesc, int dataType, int format, int nbDims,
                               const int* filterDimA) {
  if (!valid(nbDims, filterDimA)) return fail(kBadParam, "dimensions must be 1 to 8 positive numbers");
  FilterDesc filter;
  filter.type = dataType;
  filter.format = format;
  filter.dims = nbDims;
  std::copy_n(filterDimA, nbDims, filter.dim);
  return assign(filterDesc, filter);
}

int cudnnSetFilter4dDescriptor(void* filterDesc, int dataType, int format, int k, int c, int h, int w) {
  const int dim[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(filterDesc, dataType, format, 4, dim);
}

int cudnnGetFilterNdDescriptor(void* filterDesc, int nbDimsRequested, int* dataType, int* format, int* nbDims,
                               int* filterDimA) {
  FilterDesc filter;
  if (!load(filterDesc, &filter)) return fail(kBadParam, "filterDesc is not a set filter descriptor");
  store(dataType, filter.type);
  store(format, filter.format);
  store(nbDims, filter.dims);
  if (filterDimA) std::copy_n(filter.dim, std::min(std::max(nbDimsRequested, 0), filter.dims), filterDimA);
  return kSuccess;
}

int cudnnGetFilter4dDescriptor(void* filterDesc, int* dataType, int* format, int* k, int* c, int* h, int* w) {
  FilterDesc filter;
  if (!load(filterDesc, &filter)) return fail(kBadParam, "filterDesc is not a set filter descriptor");
  store(dataType, filter.type);
  store(format, filter.format);
  int* dim[] = {k, c, h, w};
  for (int axis = 0; axis < 4; ++axis) store(dim[axis], axis < filter.dims ? filter.dim[axis] : 1);
  return kSuccess;
}

int cudnnGetFilterSizeInBytes(void* filterDesc, size_t* size) {
  FilterDesc filter;
  if (!load(filterDesc, &filter) || !size)
    return fail(kBadParam, "filterDesc is not a set filter descriptor");
  *size = bytes_of(filter);
  return kSuccess;
}

}  // extern "C"
