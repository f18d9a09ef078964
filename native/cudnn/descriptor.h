// Handles and descriptors of cuDNN, and the ways every function of the library checks and reads them.
#pragma once

#include <cstdint>
#include <vector>

#include "constants.h"
#include "maya/handles.h"
#include "maya/memory.h"
#include "maya/record.h"
#include "maya/values.h"

namespace maya::cudnn {

// The `type` of core's handles.
enum Object : int {
  kHandleObject = 1,
  kTensorObject,
  kFilterObject,
  kConvolutionObject,
  kActivationObject,
  kPoolingObject,
  kLrnObject,
  kDropoutObject,
  kOpTensorObject,
  kReduceTensorObject,
  kTensorTransformObject,
  kSpatialTransformerObject,
  kRnnObject,
  kRnnDataObject,
  kCtcLossObject,
  kSeqDataObject,
  kAttentionObject,
  kBackendObject = 1000,  // plus the descriptor's type
};

constexpr int kMaxDims = 8;

struct TensorDesc {
  static constexpr int kObject = kTensorObject;
  int type = 0;
  int dims = 0;
  int dim[kMaxDims] = {};
  int stride[kMaxDims] = {};
};

struct FilterDesc {
  static constexpr int kObject = kFilterObject;
  int type = 0;
  int format = 0;
  int dims = 0;
  int dim[kMaxDims] = {};
};

struct ActivationDesc {
  static constexpr int kObject = kActivationObject;
  int mode = 0;
  int nan = 0;
  double coefficient = 0;
  double swish_beta = 1;
};

struct DropoutDesc {
  static constexpr int kObject = kDropoutObject;
  float probability = 0;
  void* states = nullptr;
  size_t state_bytes = 0;
  unsigned long long seed = 0;
};

// Remembers why for cudnnGetLastErrorString, then returns `status`.
int fail(int status, const char* why);

inline Handle* find(void* object, int type) {
  return find_handle(object, Library::cudnn, type);
}

// A live cuDNN handle, or null after remembering the failure.
Handle* library(void* handle);

template <typename T>
int create(void** descriptor) {
  if (!descriptor) return fail(kBadParamNullPointer, "descriptor == nullptr");
  *descriptor = create_handle(Library::cudnn, T::kObject);
  return kSuccess;
}

template <typename T>
int destroy(void* descriptor) {
  if (!descriptor) return kSuccess;
  if (!find(descriptor, T::kObject)) return fail(kBadParam, "not a live descriptor of this kind");
  destroy_handle(descriptor, Library::cudnn);
  return kSuccess;
}

template <typename T>
int assign(void* descriptor, const T& value) {
  Handle* handle = find(descriptor, T::kObject);
  if (!handle) return fail(kBadParam, "not a live descriptor of this kind");
  set(*handle, 0, value);
  return kSuccess;
}

// False when the descriptor is dead, of another kind or was never set.
template <typename T>
bool load(void* descriptor, T* value) {
  Handle* handle = find(descriptor, T::kObject);
  const std::vector<char>* data = handle ? get_attribute(*handle, 0) : nullptr;
  if (!data) return false;
  *value = get<T>(*handle, 0);
  return true;
}

template <typename T>
void store(T* where, T value) {
  if (where) *where = value;
}

size_t bytes_of(int data_type);
// Recorded types are cudaDataType_t, as those of every other library are.
int64_t cuda_type(int64_t data_type);
int64_t elements(const TensorDesc& tensor);
int64_t elements(const FilterDesc& filter);
size_t bytes_of(const TensorDesc& tensor);
size_t bytes_of(const FilterDesc& filter);
TensorDesc packed(int type, int dims, const int* dim);
// Channels vary fastest.
bool channels_last(const TensorDesc& tensor);

// Layouts of the tensors of a call, for a definition's blob: type, rank, dims, strides of each as int64.
class Shapes {
 public:
  Shapes& add(const TensorDesc& tensor);
  Shapes& add(const FilterDesc& filter);
  Blob blob() const { return {words_.data(), words_.size() * sizeof(int64_t)}; }

 private:
  std::vector<int64_t> words_;
};

// Results the device would have written.
template <typename... Pointers>
void written(Pointers... pointers) {
  for (const void* pointer : {static_cast<const void*>(pointers)...}) {
    if (pointer) forget(pointer);
  }
}

#define MAYA_CUDNN_SCHEMA(variable, name, fields)                           \
  static ::maya::Schema variable {                                          \
    name, ::maya::Kind::library, fields, sizeof(fields) / sizeof(fields[0]) \
  }

}  // namespace maya::cudnn
