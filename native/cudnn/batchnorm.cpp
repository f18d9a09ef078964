// Batch normalisation: cudnnBatchNormalization*.
#include "gen/cudnn.h"
#include "maya/device.h"
#include "normalization.h"

namespace maya::cudnn {

int normalize(Schema& schema, void* handle, const NormCall& call) {
  Handle* owner = library(handle);
  TensorDesc x, y, scale;
  if (!owner) return kBadParam;
  if (!load(call.x_desc, &x) || !load(call.y_desc, &y) || !load(call.scale_desc, &scale)) {
    return fail(kBadParam, "not a set tensor descriptor");
  }
  if (x.dims < 2 || x.dims > 5) return fail(kBadParam, "tensors must have 4 or 5 dimensions");
  NormProblem problem;
  problem.graph = intern(call.function);
  problem.workspace = static_cast<int64_t>(call.workspace);
  problem.reserve = static_cast<int64_t>(call.reserve);
  problem.mode = 2;
  problem.training = call.training;
  problem.x_type = x.type;
  problem.y_type = y.type;
  problem.scale_type = scale.type;
  problem.n = x.dim[0];
  problem.c = x.dim[1];
  for (int axis = 2; axis < x.dims; ++axis) problem.spatial[3 - x.dims + axis] = x.dim[axis];
  problem.scale_elements = elements(scale);
  problem.nhwc = channels_last(x);
  problem.persistent = call.persistent;
  problem.fused = call.fused;
  Shapes shapes;
  shapes.add(x).add(y).add(scale);
  submit_problem(schema, problem, stream_of(*owner), shapes.blob());
  return kSuccess;
}

int norm_workspace(void* handle, void* x_desc, size_t* bytes) {
  TensorDesc x;
  if (!library(handle)) return kBadParam;
  if (!load(x_desc, &x) || !bytes) return fail(kBadParam, "not a set tensor descriptor");
  size_t partial = static_cast<size_t>(x.dim[1]) * 2 * sizeof(float);
  *bytes = channels_last(x) ? partial * static_cast<size_t>(device_model().sm_count) : 0;
  return kSuccess;
}

int norm_reserve(void* handle, int fused, void* x_desc, size_t* bytes) {
  TensorDesc x;
  if (!library(handle)) return kBadParam;
  if (!load(x_desc, &x) || !bytes) return fail(kBadParam, "not a set tensor descriptor");
  *bytes = fused ? (static_cast<size_t>(elements(x)) + 31) / 32 * 4 : 0;
  return kSuccess;
}

}  // namespace maya::cudnn

using namespace maya::cudnn;

extern "C" {

int cudnnDeriveBNTensorDescriptor(void* derivedBnDesc, void* xDesc, int mode) {
  TensorDesc x;
  if (!load(xDesc, &x)) return fail(kBadParam, "not a set tensor descriptor");
  // Statistics are never kept in half precision.
  int type = x.type == kHalf || x.type == kBfloat16 ? kFloat : x.type;
  int dim[kMaxDims];
  for (int axis = 0; axis < x.dims; ++axis) {
    bool kept = axis == 1 || (mode == kPerActivation && axis > 1);
    dim[axis] = kept ? x.dim[axis] : 1;
  }
  return assign(derivedBnDesc, packed(type, x.dims, dim));
}

int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void* handle, int, int, void* xDesc, void*,
                                                             void*, void*, void*, size_t* sizeInBytes) {
  return norm_workspace(handle, xDesc, sizeInBytes);
}

int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void* handle, int, int, void* xDesc, void*, void*,
                                                      void*, void*, void*, void*, size_t* sizeInBytes) {
  return norm_workspace(handle, xDesc, sizeInBytes);
}

int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void* handle, int, int bnOps, void*, void* xDesc,
                                                         size_t* sizeInBytes) {
  return norm_reserve(handle, bnOps, xDesc, sizeInBytes);
}

int cudnnBatchNormalizationForwardTrainingEx(void* handle, int mode, int bnOps, const void*, const void*,
                                             void* xDesc, const void*, void*, const void*, void* yDesc,
                                             void* yData, void* bnScaleBiasMeanVarDesc, const void*,
                                             const void*, double, void* resultRunningMean,
                                             void* resultRunningVariance, double, void* resultSaveMean,
                                             void* resultSaveInvVariance, void*, void*,
                                             size_t workSpaceSizeInBytes, void* reserveSpace,
                                             size_t reserveSpaceSizeInBytes) {
  if (!yData) return fail(kBadParamNullPointer, "yData == nullptr");
  int status = normalize(norm_fwd_schema, handle,
                         {__func__, 1, mode == kSpatialPersistent, bnOps, xDesc, yDesc,
                          bnScaleBiasMeanVarDesc, workSpaceSizeInBytes, reserveSpaceSizeInBytes});
  if (status != kSuccess) return status;
  written(yData, resultRunningMean, resultRunningVariance, resultSaveMean, resultSaveInvVariance,
          reserveSpace);
  return kSuccess;
}

int cudnnBatchNormalizationForwardTraining(void* handle, int mode, const void* alpha, const void* beta,
                                           void* xDesc, const void* x, void* yDesc, void* y,
                                           void* bnScaleBiasMeanVarDesc, const void* bnScale,
                                           const void* bnBias, double factor, void* resultRunningMean,
                                           void* resultRunningVariance, double epsilon, void* resultSaveMean,
                                           void* resultSaveInvVariance) {
  return cudnnBatchNormalizationForwardTrainingEx(
      handle, mode, 0, alpha, beta, xDesc, x, nullptr, nullptr, yDesc, y, bnScaleBiasMeanVarDesc, bnScale,
      bnBias, factor, resultRunningMean, resultRunningVariance, epsilon, resultSaveMean,
      resultSaveInvVariance, nullptr, nullptr, 0, nullptr, 0);
}

int cudnnBatchNormalizationForwardInference(void* handle, int mode, const void*, const void*, void* xDesc,
                                            const void*, void* yDesc, void* y, void* bnScaleBiasMeanVarDesc,
                                            const void*, const void*, const void*, const void*, double) {
  if (!y) return fail(kBadParamNullPointer, "y == nullptr");
  int status =
      normalize(norm_fwd_schema, handle,
                {__func__, 0, mode == kSpatialPersistent, 0, xDesc, yDesc, bnScaleBiasMeanVarDesc, 0, 0});
  if (status == kSuccess) written(y);
  return status;
}

int cudnnBatchNormalizationBackwardEx(void* handle, int mode, int bnOps, const void*, const void*,
                                      const void*, const void*, void* xDesc, const void*, void*, const void*,
                                      void*, const void*, void*, void* dzData, void* dxDesc, void* dxData,
                                      void* dBnScaleBiasDesc, const void*, const void*, void* dBnScaleData,
                                      void* dBnBiasData, double, const void*, const void*, void*, void*,
                                      size_t workSpaceSizeInBytes, void*, size_t reserveSpaceSizeInBytes) {
  if (!dxData) return fail(kBadParamNullPointer, "dxData == nullptr");
  int status = normalize(norm_bwd_schema, handle,
                         {__func__, 1, mode == kSpatialPersistent, bnOps, xDesc, dxDesc, dBnScaleBiasDesc,
                          workSpaceSizeInBytes, reserveSpaceSizeInBytes});
  if (status == kSuccess) written(dxData, dzData, dBnScaleData, dBnBiasData);
  return status;
}

int cudnnBatchNormalizationBackward(void* handle, int mode, const void*, const void*, const void*,
                                    const void*, void* xDesc, const void*, void*, const void*, void* dxDesc,
                                    void* dx, void* dBnScaleBiasDesc, const void*, void* dBnScaleResult,
                                    void* dBnBiasResult, double, const void*, const void*) {
  if (!dx) return fail(kBadParamNullPointer, "dx == nullptr");
  int status = normalize(norm_bwd_schema, handle,
                         {__func__, 1, mode == kSpatialPersistent, 0, xDesc, dxDesc, dBnScaleBiasDesc, 0, 0});
  if (status == kSuccess) written(dx, dBnScaleResult, dBnBiasResult);
  return status;
}

}  // extern "C"
