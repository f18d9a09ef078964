// Local response and divisive normalisation.
#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct LrnDesc {
  static constexpr int kObject = kLrnObject;
  unsigned window = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 2.0;
};

constexpr const char* kFields[] = {"window", "mode", "n", "c", "elements", "type"};
MAYA_CUDNN_SCHEMA(lrn_forward_schema, "cudnnLRNCrossChannelForward", kFields);
MAYA_CUDNN_SCHEMA(lrn_backward_schema, "cudnnLRNCrossChannelBackward", kFields);
MAYA_CUDNN_SCHEMA(divisive_forward_schema, "cudnnDivisiveNormalizationForward", kFields);
MAYA_CUDNN_SCHEMA(divisive_backward_schema, "cudnnDivisiveNormalizationBackward", kFields);

int normalize(maya::Schema& schema, void* handle, void* norm_desc, int mode, void* tensor_desc,
              void* result) {
  maya::Handle* owner = library(handle);
  LrnDesc norm;
  TensorDesc tensor;
  if (!owner) return kBadParam;
  if (!load(norm_desc, &norm) || !load(tensor_desc, &tensor)) return fail(kBadParam, "not a set descriptor");
  if (!result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  Shapes shapes;
  shapes.add(tensor);
  maya::submit(schema,
               {norm.window, mode, tensor.dim[0], tensor.dim[1], elements(tensor), cuda_type(tensor.type)},
               maya::stream_of(*owner), 0, 0, shapes.blob());
  written(result);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateLRNDescriptor(void** normDesc) {
  int status = create<LrnDesc>(normDesc);
  return status == kSuccess ? assign(*normDesc, LrnDesc{}) : status;
}

int cudnnDestroyLRNDescriptor(void* lrnDesc) {
  return destroy<LrnDesc>(lrnDesc);
}

int cudnnSetLRNDescriptor(void* normDesc, unsigned int lrnN, double lrnAlpha, double lrnBeta, double lrnK) {
  if (lrnN < 1 || lrnN > 16 || lrnK < 1e-5 || lrnBeta < 0.01)
    return fail(kBadParam, "parameter out of range");
  return assign(normDesc, LrnDesc{lrnN, lrnAlpha, lrnBeta, lrnK});
}

int cudnnGetLRNDescriptor(void* normDesc, unsigned int* lrnN, double* lrnAlpha, double* lrnBeta,
                          double* lrnK) {
  LrnDesc desc;
  if (!load(normDesc, &desc)) return fail(kBadParam, "not an LRN descriptor");
  store(lrnN, desc.window);
  store(lrnAlpha, desc.alpha);
  store(lrnBeta, desc.beta);
  store(lrnK, desc.k);
  return kSuccess;
}

int cudnnLRNCrossChannelForward(void* handle, void* normDesc, int lrnMode, const void*, void* xDesc,
                                const void*, const void*, void*, void* y) {
  return normalize(lrn_forward_schema, handle, normDesc, lrnMode, xDesc, y);
}

int cudnnLRNCrossChannelBackward(void* handle, void* normDesc, int lrnMode, const void*, void* yDesc,
                                 const void*, void*, const void*, void*, const void*, const void*, void*,
                                 void* dx) {
  return normalize(lrn_backward_schema, handle, normDesc, lrnMode, yDesc, dx);
}

int cudnnDivisiveNormalizationForward(void* handle, void* normDesc, int mode, const void*, void* xDesc,
                                      const void*, const void*, void*, void*, const void*, void*, void* y) {
  return normalize(divisive_forward_schema, handle, normDesc, mode, xDesc, y);
}

int cudnnDivisiveNormalizationBackward(void* handle, void* normDesc, int mode, const void*, void* xDesc,
                                       const void*, const void*, const void*, void*, void*, const void*,
                                       void*, void* dx, void* dMeans) {
  int status = normalize(divisive_backward_schema, handle, normDesc, mode, xDesc, dx);
  if (status == kSuccess) written(dMeans);
  return status;
}

}  // extern "C"
