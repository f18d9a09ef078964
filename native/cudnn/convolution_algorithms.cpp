// Which algorithms the legacy convolutions may use, how fast they claim to be and the workspace they need.
#include <algorithm>

#include "convolution.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

// As the interface lays out cudnnConvolution*AlgoPerf_t.
struct Performance {
  int algorithm;
  int status;
  float milliseconds;
  size_t memory;
  int determinism;
  int math_type;
  int reserved[3];
};

// Best first. The plain algorithms of the backward passes add with atomics.
constexpr int kOrder[] = {1, 0};

Performance describe(ConvKind kind, int algorithm, ConvProblem problem) {
  apply_algorithm(kind, algorithm, &problem);
  Performance result{};
  result.algorithm = algorithm;
  result.memory = static_cast<size_t>(problem.workspace);
  result.determinism = kind == ConvKind::fprop || algorithm == 1 ? kDeterministic : kNonDeterministic;
  result.math_type = kFmaMath;
  if (problem.notes) result.math_type = problem.x_type == kFloat ? kDefaultMath : kTensorOpMath;
  return result;
}

// Times only rank the answers: nothing ran. `limit` is the workspace the program offers.
int rank(void* handle, ConvKind kind, void* x, void* w, void* conv, void* y, int requested, int* returned,
         void* results, size_t limit) {
  if (!library(handle)) return kBadParam;
  if (!returned || !results || requested < 1) return fail(kBadParam, "no room for results");
  ConvProblem problem;
  if (!conv_problem(x, w, conv, y, &problem, nullptr)) return kBadParam;
  auto* out = static_cast<Performance*>(results);
  int count = 0;
  for (int algorithm : kOrder) {
    Performance entry = describe(kind, algorithm, problem);
    if (entry.memory > limit || count == requested) continue;
    entry.milliseconds = 0.1f * static_cast<float>(count + 1);
    out[count++] = entry;
  }
  *returned = count;
  return kSuccess;
}

int workspace(void* handle, ConvKind kind, void* x, void* w, void* conv, void* y, int algorithm,
              size_t* bytes) {
  if (!library(handle)) return kBadParam;
  if (!bytes) return fail(kBadParamNullPointer, "sizeInBytes == nullptr");
  if (algorithm < 0 || algorithm >= algorithm_count(kind)) return fail(kBadParam, "unknown algorithm");
  ConvProblem problem;
  if (!conv_problem(x, w, conv, y, &problem, nullptr)) return kBadParam;
  apply_algorithm(kind, algorithm, &problem);
  *bytes = static_cast<size_t>(problem.workspace);
  return kSuccess;
}

int maximum(void* handle, ConvKind kind, int* count) {
  if (!library(handle)) return kBadParam;
  if (!count) return fail(kBadParamNullPointer, "count == nullptr");
  *count = algorithm_count(kind);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnGetConvolutionForwardAlgorithmMaxCount(void* handle, int* count) {
  return maximum(handle, ConvKind::fprop, count);
}

int cudnnGetConvolutionBackwardDataAlgorithmMaxCount(void* handle, int* count) {
  return maximum(handle, ConvKind::dgrad, count);
}

int cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(void* handle, int* count) {
  return maximum(handle, ConvKind::wgrad, count);
}

int cudnnGetConvolutionForwardWorkspaceSize(void* handle, void* xDesc, void* wDesc, void* convDesc,
                                            void* yDesc, int algo, size_t* sizeInBytes) {
  return workspace(handle, ConvKind::fprop, xDesc, wDesc, convDesc, yDesc, algo, sizeInBytes);
}

int cudnnGetConvolutionBackwardDataWorkspaceSize(void* handle, void* wDesc, void* dyDesc, void* convDesc,
                                                 void* dxDesc, int algo, size_t* sizeInBytes) {
  return workspace(handle, ConvKind::dgrad, dxDesc, wDesc, convDesc, dyDesc, algo, sizeInBytes);
}

int cudnnGetConvolutionBackwardFilterWorkspaceSize(void* handle, void* xDesc, void* dyDesc, void* convDesc,
                                                   void* gradDesc, int algo, size_t* sizeInBytes) {
  return workspace(handle, ConvKind::wgrad, xDesc, gradDesc, convDesc, dyDesc, algo, sizeInBytes);
}

int cudnnGetConvolutionForwardAlgorithm_v7(void* handle, void* srcDesc, void* filterDesc, void* convDesc,
                                           void* destDesc, int requestedAlgoCount, int* returnedAlgoCount,
                                           void* perfResults) {
  return rank(handle, ConvKind::fprop, srcDesc, filterDesc, convDesc, destDesc, requestedAlgoCount,
              returnedAlgoCount, perfResults, SIZE_MAX);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(void* handle, void* filterDesc, void* diffDesc,
                                                void* convDesc, void* gradDesc, int requestedAlgoCount,
                                                int* returnedAlgoCount, void* perfResults) {
  return rank(handle, ConvKind::dgrad, gradDesc, filterDesc, convDesc, diffDesc, requestedAlgoCount,
              returnedAlgoCount, perfResults, SIZE_MAX);
}

int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void* handle, void* srcDesc, void* diffDesc, void* convDesc,
                                                  void* gradDesc, int requestedAlgoCount,
                                                  int* returnedAlgoCount, void* perfResults) {
  return rank(handle, ConvKind::wgrad, srcDesc, gradDesc, convDesc, diffDesc, requestedAlgoCount,
              returnedAlgoCount, perfResults, SIZE_MAX);
}

int cudnnFindConvolutionForwardAlgorithm(void* handle, void* xDesc, void* wDesc, void* convDesc, void* yDesc,
                                         int requestedAlgoCount, int* returnedAlgoCount, void* perfResults) {
  return rank(handle, ConvKind::fprop, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, SIZE_MAX);
}

int cudnnFindConvolutionBackwardDataAlgorithm(void* handle, void* wDesc, void* dyDesc, void* convDesc,
                                              void* dxDesc, int requestedAlgoCount, int* returnedAlgoCount,
                                              void* perfResults) {
  return rank(handle, ConvKind::dgrad, dxDesc, wDesc, convDesc, dyDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, SIZE_MAX);
}

int cudnnFindConvolutionBackwardFilterAlgorithm(void* handle, void* xDesc, void* dyDesc, void* convDesc,
                                                void* dwDesc, int requestedAlgoCount, int* returnedAlgoCount,
                                                void* perfResults) {
  return rank(handle, ConvKind::wgrad, xDesc, dwDesc, convDesc, dyDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, SIZE_MAX);
}

int cudnnFindConvolutionForwardAlgorithmEx(void* handle, void* xDesc, const void*, void* wDesc, const void*,
                                           void* convDesc, void* yDesc, void*, int requestedAlgoCount,
                                           int* returnedAlgoCount, void* perfResults, void*,
                                           size_t workSpaceSizeInBytes) {
  return rank(handle, ConvKind::fprop, xDesc, wDesc, convDesc, yDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, workSpaceSizeInBytes);
}

int cudnnFindConvolutionBackwardDataAlgorithmEx(void* handle, void* wDesc, const void*, void* dyDesc,
                                                const void*, void* convDesc, void* dxDesc, void*,
                                                int requestedAlgoCount, int* returnedAlgoCount,
                                                void* perfResults, void*, size_t workSpaceSizeInBytes) {
  return rank(handle, ConvKind::dgrad, dxDesc, wDesc, convDesc, dyDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, workSpaceSizeInBytes);
}

int cudnnFindConvolutionBackwardFilterAlgorithmEx(void* handle, void* xDesc, const void*, void* dyDesc,
                                                  const void*, void* convDesc, void* dwDesc, void*,
                                                  int requestedAlgoCount, int* returnedAlgoCount,
                                                  void* perfResults, void*, size_t workSpaceSizeInBytes) {
  return rank(handle, ConvKind::wgrad, xDesc, dwDesc, convDesc, dyDesc, requestedAlgoCount, returnedAlgoCount,
              perfResults, workSpaceSizeInBytes);
}

}  // extern "C"
