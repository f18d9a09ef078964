// Connectionist temporal classification.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

struct CtcDesc {
  static constexpr int kObject = kCtcLossObject;
  int compute_type = 0;
  int normalization = 0;
  int gradient_mode = 0;
  int max_label_length = 0;
};

// The longest labels that version 8 of the interface takes when the descriptor names no limit.
constexpr int kDefaultLabelLength = 256;

constexpr const char* kFields[] = {"algorithm", "type",   "time",          "batch",    "classes",
                                   "max_label", "labels", "normalization", "gradient", "workspace"};
MAYA_CUDNN_SCHEMA(ctc_schema, "cudnn_ctc_loss", kFields);

// Forward and backward variables over the extended label of every sample.
size_t workspace_bytes(const TensorDesc& probabilities, int max_label) {
  auto steps = static_cast<size_t>(probabilities.dim[0]), batch = static_cast<size_t>(probabilities.dim[1]);
  auto classes = static_cast<size_t>(probabilities.dim[2]);
  size_t states = 2 * static_cast<size_t>(max_label) + 1;
  return batch * (2 * steps * states + steps * classes + 2 * states) * sizeof(float);
}

int longest(const int* lengths, int count) {
  return count > 0 ? *std::max_element(lengths, lengths + count) : 0;
}

struct LabelSizes {
  int longest = 0;
  int64_t total = 0;
};

int run(void* handle, int algorithm, const CtcDesc& ctc, const TensorDesc& probabilities,
        void* gradients_desc, void* costs, void* gradients, const LabelSizes& labels, size_t workspace) {
  maya::Handle* owner = library(handle);
  TensorDesc gradient;
  if (!owner) return kBadParam;
  if (!costs) return fail(kBadParamNullPointer, "costs == nullptr");
  if (gradients && !load(gradients_desc, &gradient)) return fail(kBadParam, "not a set tensor descriptor");
  if (workspace < workspace_bytes(probabilities, labels.longest))
    return fail(kBadParam, "workspace too small");
  maya::submit(ctc_schema,
               {algorithm, cuda_type(probabilities.type), probabilities.dim[0], probabilities.dim[1],
                probabilities.dim[2], labels.longest, labels.total, ctc.normalization, gradients != nullptr,
                static_cast<int64_t>(workspace)},
               maya::stream_of(*owner));
  written(costs, gradients);
  return kSuccess;
}

bool load_both(void* ctc_desc, void* probabilities_desc, CtcDesc* ctc, TensorDesc* probabilities) {
  return load(ctc_desc, ctc) && load(probabilities_desc, probabilities) && probabilities->dims == 3;
}

int label_limit(const CtcDesc& ctc) {
  return ctc.max_label_length ? ctc.max_label_length : kDefaultLabelLength;
}

}  // namespace

extern "C" {

int cudnnCreateCTCLossDescriptor(void** ctcLossDesc) {
  return create<CtcDesc>(ctcLossDesc);
}
int cudnnDestroyCTCLossDescriptor(void* ctcLossDesc) {
  return destroy<CtcDesc>(ctcLossDesc);
}

int cudnnSetCTCLossDescriptor_v9(void* ctcLossDesc, int compType, int normMode, int ctcGradMode,
                                 int maxLabelLength) {
  if (maxLabelLength < 0) return fail(kBadParam, "maxLabelLength must not be negative");
  return assign(ctcLossDesc, CtcDesc{compType, normMode, ctcGradMode, maxLabelLength});
}

int cudnnSetCTCLossDescriptor_v8(void* ctcLossDesc, int compType, int normMode, int gradMode,
                                 int maxLabelLength) {
  return cudnnSetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode, gradMode, maxLabelLength);
}

int cudnnSetCTCLossDescriptorEx(void* ctcLossDesc, int compType, int normMode, int gradMode) {
  return cudnnSetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode, gradMode, 0);
}

int cudnnSetCTCLossDescriptor(void* ctcLossDesc, int compType) {
  return cudnnSetCTCLossDescriptor_v9(ctcLossDesc, compType, 0, 0, 0);
}

int cudnnGetCTCLossDescriptor_v9(void* ctcLossDesc, int* compType, int* normMode, int* ctcGradMode,
                                 int* maxLabelLength) {
  CtcDesc desc;
  if (!load(ctcLossDesc, &desc)) return fail(kBadParam, "not a set CTC loss descriptor");
  store(compType, desc.compute_type);
  store(normMode, desc.normalization);
  store(ctcGradMode, desc.gradient_mode);
  store(maxLabelLength, desc.max_label_length);
  return kSuccess;
}

int cudnnGetCTCLossDescriptor_v8(void* ctcLossDesc, int* compType, int* normMode, int* gradMode,
                                 int* maxLabelLength) {
  return cudnnGetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode, gradMode, maxLabelLength);
}

int cudnnGetCTCLossDescriptorEx(void* ctcLossDesc, int* compType, int* normMode, int* gradMode) {
  return cudnnGetCTCLossDescriptor_v9(ctcLossDesc, compType, normMode, gradMode, nullptr);
}

int cudnnGetCTCLossDescriptor(void* ctcLossDesc, int* compType) {
  return cudnnGetCTCLossDescriptor_v9(ctcLossDesc, compType, nullptr, nullptr, nullptr);
}

int cudnnGetCTCLossWorkspaceSize(void* handle, void* probsDesc, void*, const int*, const int* labelLengths,
                                 const int*, int, void* ctcLossDesc, size_t* sizeInBytes) {
  CtcDesc ctc;
  TensorDesc probs;
  if (!library(handle)) return kBadParam;
  if (!load_both(ctcLossDesc, probsDesc, &ctc, &probs)) return fail(kBadParam, "not a set descriptor");
  if (!labelLengths || !sizeInBytes) return fail(kBadParamNullPointer, "null pointer");
  *sizeInBytes = workspace_bytes(probs, longest(labelLengths, probs.dim[1]));
  return kSuccess;
}

int cudnnGetCTCLossWorkspaceSize_v8(void* handle, int, void* ctcLossDesc, void* probsDesc, void*,
                                    size_t* sizeInBytes) {
  CtcDesc ctc;
  TensorDesc probs;
  if (!library(handle)) return kBadParam;
  if (!load_both(ctcLossDesc, probsDesc, &ctc, &probs)) return fail(kBadParam, "not a set descriptor");
  if (!sizeInBytes) return fail(kBadParamNullPointer, "sizeInBytes == nullptr");
  *sizeInBytes = workspace_bytes(probs, label_limit(ctc));
  return kSuccess;
}

int cudnnCTCLoss(void* handle, void* probsDesc, const void*, const int*, const int* hostLabelLengths,
                 const int*, void* costs, void* gradientsDesc, void* gradients, int algo, void* ctcLossDesc,
                 void*, size_t workSpaceSizeInBytes) {
  CtcDesc ctc;
  TensorDesc probs;
  if (!load_both(ctcLossDesc, probsDesc, &ctc, &probs)) return fail(kBadParam, "not a set descriptor");
  if (!hostLabelLengths) return fail(kBadParamNullPointer, "hostLabelLengths == nullptr");
  LabelSizes labels{longest(hostLabelLengths, probs.dim[1]), 0};
  for (int i = 0; i < probs.dim[1]; ++i) labels.total += hostLabelLengths[i];
  return run(handle, algo, ctc, probs, gradientsDesc, costs, gradients, labels, workSpaceSizeInBytes);
}

int cudnnCTCLoss_v8(void* handle, int algo, void* ctcLossDesc, void* probsDesc, const void*, const int*,
                    const int*, const int*, void* costs, void* gradientsDesc, void* gradients,
                    size_t workSpaceSizeInBytes, void*) {
  // Here the lengths lie on the device; the descriptor's limit is what the kernels are shaped for.
  CtcDesc ctc;
  TensorDesc probs;
  if (!load_both(ctcLossDesc, probsDesc, &ctc, &probs)) return fail(kBadParam, "not a set descriptor");
  LabelSizes labels{label_limit(ctc), static_cast<int64_t>(label_limit(ctc)) * probs.dim[1]};
  return run(handle, algo, ctc, probs, gradientsDesc, costs, gradients, labels, workSpaceSizeInBytes);
}

}  // extern "C"
