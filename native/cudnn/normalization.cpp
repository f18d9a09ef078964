// The second family of batch normalisation functions: cudnnNormalization*.
#include "normalization.h"

#include "gen/cudnn.h"

using namespace maya::cudnn;

extern "C" {

int cudnnDeriveNormTensorDescriptor(void* derivedNormScaleBiasDesc, void* derivedNormMeanVarDesc, void* xDesc,
                                    int mode, int) {
  int status = cudnnDeriveBNTensorDescriptor(derivedNormScaleBiasDesc, xDesc, mode);
  return status == kSuccess ? cudnnDeriveBNTensorDescriptor(derivedNormMeanVarDesc, xDesc, mode) : status;
}

int cudnnGetNormalizationForwardTrainingWorkspaceSize(void* handle, int, int, int, void* xDesc, void*, void*,
                                                      void*, void*, void*, size_t* sizeInBytes, int) {
  return norm_workspace(handle, xDesc, sizeInBytes);
}

int cudnnGetNormalizationBackwardWorkspaceSize(void* handle, int, int, int, void* xDesc, void*, void*, void*,
                                               void*, void*, void*, void*, size_t* sizeInBytes, int) {
  return norm_workspace(handle, xDesc, sizeInBytes);
}

int cudnnGetNormalizationTrainingReserveSpaceSize(void* handle, int, int normOps, int, void*, void* xDesc,
                                                  size_t* sizeInBytes, int) {
  return norm_reserve(handle, normOps, xDesc, sizeInBytes);
}

int cudnnNormalizationForwardTraining(void* handle, int, int normOps, int algo, const void*, const void*,
                                      void* xDesc, const void*, void* normScaleBiasDesc, const void*,
                                      const void*, double, void*, void* resultRunningMean,
                                      void* resultRunningVariance, double, void* resultSaveMean,
                                      void* resultSaveInvVariance, void*, void*, const void*, void* yDesc,
                                      void* yData, void*, size_t workSpaceSizeInBytes, void* reserveSpace,
                                      size_t reserveSpaceSizeInBytes, int) {
  if (!yData) return fail(kBadParamNullPointer, "yData == nullptr");
  int status = normalize(norm_fwd_schema, handle,
                         {__func__, 1, algo, normOps, xDesc, yDesc, normScaleBiasDesc, workSpaceSizeInBytes,
                          reserveSpaceSizeInBytes});
  if (status != kSuccess) return status;
  written(yData, resultRunningMean, resultRunningVariance, resultSaveMean, resultSaveInvVariance,
          reserveSpace);
  return kSuccess;
}

int cudnnNormalizationForwardInference(void* handle, int, int normOps, int algo, const void*, const void*,
                                       void* xDesc, const void*, void* normScaleBiasDesc, const void*,
                                       const void*, void*, const void*, const void*, void*, const void*,
                                       void*, void* yDesc, void* y, double, int) {
  if (!y) return fail(kBadParamNullPointer, "y == nullptr");
  int status =
      normalize(norm_fwd_schema, handle, {__func__, 0, algo, normOps, xDesc, yDesc, normScaleBiasDesc, 0, 0});
  if (status == kSuccess) written(y);
  return status;
}

int cudnnNormalizationBackward(void* handle, int, int normOps, int algo, const void*, const void*,
                               const void*, const void*, void* xDesc, const void*, void*, const void*, void*,
                               const void*, void*, void* dzData, void* dxDesc, void* dxData,
                               void* dNormScaleBiasDesc, const void*, const void*, void* dNormScaleData,
                               void* dNormBiasData, double, void*, const void*, const void*, void*, void*,
                               size_t workSpaceSizeInBytes, void*, size_t reserveSpaceSizeInBytes, int) {
  if (!dxData) return fail(kBadParamNullPointer, "dxData == nullptr");
  int status = normalize(norm_bwd_schema, handle,
                         {__func__, 1, algo, normOps, xDesc, dxDesc, dNormScaleBiasDesc, workSpaceSizeInBytes,
                          reserveSpaceSizeInBytes});
  if (status == kSuccess) written(dxData, dzData, dNormScaleData, dNormBiasData);
  return status;
}

}  // extern "C"
