// Dropout and its random states.
#include "descriptor.h"
#include "gen/cudnn.h"
#include "maya/device.h"

using namespace maya::cudnn;

namespace {

// One 48-byte XORWOW state for every thread the device can hold.
size_t states_bytes() {
  const maya::DeviceModel& model = maya::device_model();
  return static_cast<size_t>(model.sm_count) * static_cast<size_t>(model.max_threads_per_sm) * 48;
}

size_t mask_bytes(const TensorDesc& tensor) {
  return (static_cast<size_t>(elements(tensor)) + 7) / 8;
}

constexpr const char* kStatesFields[] = {"bytes"};
MAYA_CUDNN_SCHEMA(states_schema, "cudnnSetDropoutDescriptor", kStatesFields);
constexpr const char* kFields[] = {"elements", "type"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnnDropoutForward", kFields);
MAYA_CUDNN_SCHEMA(backward_schema, "cudnnDropoutBackward", kFields);

int drop(maya::Schema& schema, void* handle, void* dropout_desc, void* tensor_desc, void* result,
         void* reserve, size_t reserve_bytes) {
  maya::Handle* owner = library(handle);
  DropoutDesc dropout;
  TensorDesc tensor;
  if (!owner) return kBadParam;
  if (!load(dropout_desc, &dropout) || !load(tensor_desc, &tensor))
    return fail(kBadParam, "not a set descriptor");
  if (!result || !reserve) return fail(kBadParamNullPointer, "null pointer");
  if (reserve_bytes < mask_bytes(tensor)) return fail(kBadParam, "reserve space is too small");
  maya::submit(schema, {elements(tensor), cuda_type(tensor.type)}, maya::stream_of(*owner));
  written(result);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateDropoutDescriptor(void** dropoutDesc) {
  return create<DropoutDesc>(dropoutDesc);
}
int cudnnDestroyDropoutDescriptor(void* dropoutDesc) {
  return destroy<DropoutDesc>(dropoutDesc);
}

int cudnnDropoutGetStatesSize(void* handle, size_t* sizeInBytes) {
  if (!library(handle)) return kBadParam;
  if (!sizeInBytes) return fail(kBadParamNullPointer, "sizeInBytes == nullptr");
  *sizeInBytes = states_bytes();
  return kSuccess;
}

int cudnnDropoutGetReserveSpaceSize(void* xdesc, size_t* sizeInBytes) {
  TensorDesc tensor;
  if (!load(xdesc, &tensor) || !sizeInBytes) return fail(kBadParam, "not a set tensor descriptor");
  *sizeInBytes = mask_bytes(tensor);
  return kSuccess;
}

int cudnnSetDropoutDescriptor(void* dropoutDesc, void* handle, float dropout, void* states,
                              size_t stateSizeInBytes, unsigned long long seed) {
  maya::Handle* owner = library(handle);
  if (!owner) return kBadParam;
  if (dropout < 0 || dropout > 1) return fail(kBadParam, "probability outside 0..1");
  // Without states the descriptor only says that nothing is dropped.
  if (states && stateSizeInBytes < states_bytes()) return fail(kBadParamSizeInsufficient, "states too small");
  int status = assign(dropoutDesc, DropoutDesc{dropout, states, stateSizeInBytes, seed});
  if (status == kSuccess && states) {
    maya::submit(states_schema, {static_cast<int64_t>(states_bytes())}, maya::stream_of(*owner));
    written(states);
  }
  return status;
}

int cudnnRestoreDropoutDescriptor(void* dropoutDesc, void* handle, float dropout, void* states,
                                  size_t stateSizeInBytes, unsigned long long seed) {
  if (!library(handle)) return kBadParam;
  if (states && stateSizeInBytes < states_bytes()) return fail(kBadParamSizeInsufficient, "states too small");
  return assign(dropoutDesc, DropoutDesc{dropout, states, stateSizeInBytes, seed});
}

int cudnnGetDropoutDescriptor(void* dropoutDesc, void* handle, float* dropout, void** states,
                              unsigned long long* seed) {
  DropoutDesc desc;
  if (!library(handle)) return kBadParam;
  if (!load(dropoutDesc, &desc)) return fail(kBadParam, "not a set dropout descriptor");
  store(dropout, desc.probability);
  store(states, desc.states);
  store(seed, desc.seed);
  return kSuccess;
}

int cudnnDropoutForward(void* handle, void* dropoutDesc, void* xdesc, const void*, void*, void* y,
                        void* reserveSpace, size_t reserveSpaceSizeInBytes) {
  return drop(forward_schema, handle, dropoutDesc, xdesc, y, reserveSpace, reserveSpaceSizeInBytes);
}

int cudnnDropoutBackward(void* handle, void* dropoutDesc, void* dydesc, const void*, void*, void* dx,
                         void* reserveSpace, size_t reserveSpaceSizeInBytes) {
  return drop(backward_schema, handle, dropoutDesc, dydesc, dx, reserveSpace, reserveSpaceSizeInBytes);
}

}  // extern "C"
