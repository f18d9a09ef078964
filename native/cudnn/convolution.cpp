// The legacy convolution calls.
#include "convolution.h"
#include "gen/cudnn.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

struct Request {
  ConvKind kind;
  const char* function;
  void* x_desc;
  void* w_desc;
  void* conv_desc;
  void* y_desc;
  int algorithm;
  void* workspace;
  size_t workspace_bytes;
  const void* result;
  int fused_ops;
};

int convolve(void* handle, const Request& request) {
  maya::Call call;
  maya::Handle* owner = library(handle);
  if (!owner) return kBadParam;
  ConvProblem problem;
  Shapes shapes;
  if (!conv_problem(request.x_desc, request.w_desc, request.conv_desc, request.y_desc, &problem, &shapes)) {
    return kBadParam;
  }
  if (request.algorithm < 0 || request.algorithm >= algorithm_count(request.kind)) {
    return fail(kBadParam, "unknown algorithm");
  }
  if (!request.result) return fail(kBadParamNullPointer, "result pointer == nullptr");
  apply_algorithm(request.kind, request.algorithm, &problem);
  bool too_small = request.workspace_bytes < static_cast<size_t>(problem.workspace);
  if (too_small || (problem.workspace > 0 && !request.workspace)) {
    return fail(kBadParam, "workspace is smaller than the algorithm needs");
  }
  problem.graph = maya::intern(request.function);
  problem.fused_ops = request.fused_ops;
  submit_problem(schema_of(request.kind), problem, maya::stream_of(*owner), shapes.blob());
  written(request.result);
  return kSuccess;
}

constexpr const char* kBiasFields[] = {"n", "c", "elements", "type"};
MAYA_CUDNN_SCHEMA(bias_schema, "cudnnConvolutionBackwardBias", kBiasFields);
constexpr const char* kIm2ColFields[] = {"in_elements", "column_elements", "type"};
MAYA_CUDNN_SCHEMA(im2col_schema, "cudnnIm2Col", kIm2ColFields);
constexpr const char* kReorderFields[] = {"filter_elements", "type", "bias"};
MAYA_CUDNN_SCHEMA(reorder_schema, "cudnnReorderFilterAndBias", kReorderFields);

}  // namespace

extern "C" {

int cudnnConvolutionForward(void* handle, const void*, void* xDesc, const void*, void* wDesc, const void*,
                            void* convDesc, int algo, void* workSpace, size_t workSpaceSizeInBytes,
                            const void*, void* yDesc, void* y) {
  return convolve(handle, {ConvKind::fprop, __func__, xDesc, wDesc, convDesc, yDesc, algo, workSpace,
                           workSpaceSizeInBytes, y, 0});
}

int cudnnConvolutionBackwardData(void* handle, const void*, void* wDesc, const void*, void* dyDesc,
                                 const void*, void* convDesc, int algo, void* workSpace,
                                 size_t workSpaceSizeInBytes, const void*, void* dxDesc, void* dx) {
  return convolve(handle, {ConvKind::dgrad, __func__, dxDesc, wDesc, convDesc, dyDesc, algo, workSpace,
                           workSpaceSizeInBytes, dx, 0});
}

int cudnnConvolutionBackwardFilter(void* handle, const void*, void* xDesc, const void*, void* dyDesc,
                                   const void*, void* convDesc, int algo, void* workSpace,
                                   size_t workSpaceSizeInBytes, const void*, void* dwDesc, void* dw) {
  return convolve(handle, {ConvKind::wgrad, __func__, xDesc, dwDesc, convDesc, dyDesc, algo, workSpace,
                           workSpaceSizeInBytes, dw, 0});
}

int cudnnConvolutionBiasActivationForward(void* handle, const void*, void* xDesc, const void*, void* wDesc,
                                          const void*, void* convDesc, int algo, void* workSpace,
                                          size_t workSpaceSizeInBytes, const void*, void* zDesc,
                                          const void* z, void* biasDesc, const void*, void* activationDesc,
                                          void* yDesc, void* y) {
  ActivationDesc activation;
  TensorDesc bias, other;
  if (!load(activationDesc, &activation) || !load(biasDesc, &bias))
    return fail(kBadParam, "not a set descriptor");
  bool adds = z && load(zDesc, &other);
  return convolve(handle, {ConvKind::fprop, __func__, xDesc, wDesc, convDesc, yDesc, algo, workSpace,
                           workSpaceSizeInBytes, y, adds ? 3 : 2});
}

int cudnnConvolutionBackwardBias(void* handle, const void*, void* dyDesc, const void*, const void*,
                                 void* dbDesc, void* db) {
  maya::Handle* owner = library(handle);
  TensorDesc dy, bias;
  if (!owner) return kBadParam;
  if (!load(dyDesc, &dy) || !load(dbDesc, &bias) || !db) return fail(kBadParam, "not a set descriptor");
  Shapes shapes;
  shapes.add(dy).add(bias);
  maya::submit(bias_schema, {dy.dim[0], dy.dim[1], elements(dy), cuda_type(dy.type)}, maya::stream_of(*owner),
               0, 0, shapes.blob());
  written(db);
  return kSuccess;
}

int cudnnIm2Col(void* handle, void* xDesc, const void*, void* wDesc, void* convDesc, void* colBuffer) {
  maya::Handle* owner = library(handle);
  TensorDesc x;
  FilterDesc w;
  if (!owner) return kBadParam;
  if (!load(xDesc, &x) || !load(wDesc, &w) || !colBuffer) return fail(kBadParam, "not a set descriptor");
  int dim[kMaxDims] = {};
  int status = cudnnGetConvolutionNdForwardOutputDim(convDesc, xDesc, wDesc, x.dims, dim);
  if (status != kSuccess) return status;
  int64_t columns = elements(w) / w.dim[0] * dim[0];
  for (int axis = 2; axis < x.dims; ++axis) columns *= dim[axis];
  maya::submit(im2col_schema, {elements(x), columns, cuda_type(x.type)}, maya::stream_of(*owner));
  written(colBuffer);
  return kSuccess;
}

int cudnnReorderFilterAndBias(void* handle, void* filterDesc, int, const void*, void* reorderedFilterData,
                              int reorderBias, const void*, void* reorderedBiasData) {
  maya::Handle* owner = library(handle);
  FilterDesc filter;
  if (!owner) return kBadParam;
  if (!load(filterDesc, &filter)) return fail(kBadParam, "not a set filter descriptor");
  maya::submit(reorder_schema, {elements(filter), cuda_type(filter.type), reorderBias},
               maya::stream_of(*owner));
  written(reorderedFilterData, reorderedBiasData);
  return kSuccess;
}

}  // extern "C"
