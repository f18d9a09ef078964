// Activation and softmax.
#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

constexpr const char* kActivationFields[] = {"mode", "elements", "type"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnnActivationForward", kActivationFields);
MAYA_CUDNN_SCHEMA(backward_schema, "cudnnActivationBackward", kActivationFields);
constexpr const char* kSoftmaxFields[] = {"algorithm", "mode", "n", "c", "elements", "type"};
MAYA_CUDNN_SCHEMA(softmax_forward_schema, "cudnnSoftmaxForward", kSoftmaxFields);
MAYA_CUDNN_SCHEMA(softmax_backward_schema, "cudnnSoftmaxBackward", kSoftmaxFields);

int activate(maya::Schema& schema, void* handle, void* desc, void* tensor_desc, void* result_desc,
             void* result) {
  maya::Handle* owner = library(handle);
  ActivationDesc activation;
  TensorDesc tensor, out;
  if (!owner) return kBadParam;
  if (!load(desc, &activation) || !load(tensor_desc, &tensor) || !load(result_desc, &out)) {
    return fail(kBadParam, "not a set descriptor");
  }
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  Shapes shapes;
  shapes.add(tensor).add(out);
  maya::submit(schema, {activation.mode, elements(tensor), cuda_type(tensor.type)}, maya::stream_of(*owner),
               0, 0, shapes.blob());
  written(result);
  return kSuccess;
}

int softmax(maya::Schema& schema, void* handle, int algorithm, int mode, void* tensor_desc, void* result_desc,
            void* result) {
  maya::Handle* owner = library(handle);
  TensorDesc tensor, out;
  if (!owner) return kBadParam;
  if (!load(tensor_desc, &tensor) || !load(result_desc, &out)) return fail(kBadParam, "not a set descriptor");
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  Shapes shapes;
  shapes.add(tensor).add(out);
  maya::submit(schema,
               {algorithm, mode, tensor.dim[0], tensor.dim[1], elements(tensor), cuda_type(tensor.type)},
               maya::stream_of(*owner), 0, 0, shapes.blob());
  written(result);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateActivationDescriptor(void** activationDesc) {
  return create<ActivationDesc>(activationDesc);
}
int cudnnDestroyActivationDescriptor(void* activationDesc) {
  return destroy<ActivationDesc>(activationDesc);
}

int cudnnSetActivationDescriptor(void* activationDesc, int mode, int reluNanOpt, double coef) {
  if (mode < 0 || mode > 6) return fail(kBadParam, "unknown activation");
  return assign(activationDesc, ActivationDesc{mode, reluNanOpt, coef, 1.0});
}

int cudnnGetActivationDescriptor(void* activationDesc, int* mode, int* reluNanOpt, double* coef) {
  ActivationDesc desc;
  if (!load(activationDesc, &desc)) return fail(kBadParam, "not a set activation descriptor");
  store(mode, desc.mode);
  store(reluNanOpt, desc.nan);
  store(coef, desc.coefficient);
  return kSuccess;
}

int cudnnSetActivationDescriptorSwishBeta(void* activationDesc, double swish_beta) {
  ActivationDesc desc;
  if (!load(activationDesc, &desc)) return fail(kBadParam, "not a set activation descriptor");
  desc.swish_beta = swish_beta;
  return assign(activationDesc, desc);
}

int cudnnGetActivationDescriptorSwishBeta(void* activationDesc, double* swish_beta) {
  ActivationDesc desc;
  if (!load(activationDesc, &desc)) return fail(kBadParam, "not a set activation descriptor");
  store(swish_beta, desc.swish_beta);
  return kSuccess;
}

int cudnnActivationForward(void* handle, void* activationDesc, const void*, void* xDesc, const void*,
                           const void*, void* yDesc, void* y) {
  return activate(forward_schema, handle, activationDesc, xDesc, yDesc, y);
}

int cudnnActivationBackward(void* handle, void* activationDesc, const void*, void* yDesc, const void*, void*,
                            const void*, void*, const void*, const void*, void* dxDesc, void* dx) {
  return activate(backward_schema, handle, activationDesc, yDesc, dxDesc, dx);
}

int cudnnSoftmaxForward(void* handle, int algo, int mode, const void*, void* xDesc, const void*, const void*,
                        void* yDesc, void* y) {
  return softmax(softmax_forward_schema, handle, algo, mode, xDesc, yDesc, y);
}

int cudnnSoftmaxBackward(void* handle, int algo, int mode, const void*, void* yDesc, const void*, void*,
                         const void*, const void*, void* dxDesc, void* dx) {
  return softmax(softmax_backward_schema, handle, algo, mode, yDesc, dxDesc, dx);
}

}  // extern "C"
