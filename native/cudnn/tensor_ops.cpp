// Element-wise work on whole tensors: add, op-tensor, scale, set, transform, reduce.
#include <algorithm>

#include "descriptor.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

struct OpTensorDesc {
  static constexpr int kObject = kOpTensorObject;
  int op = 0;
  int compute_type = 0;
  int nan = 0;
};

struct ReduceDesc {
  static constexpr int kObject = kReduceTensorObject;
  int op = 0;
  int compute_type = 0;
  int nan = 0;
  int indices = 0;
  int indices_type = 0;
};

// Elements of every tensor; the layouts are in the blob, in the order of the call.
constexpr const char* kFields[] = {"op",           "compute_type", "in_elements",
                                   "out_elements", "in_type",      "out_type"};
MAYA_CUDNN_SCHEMA(add_schema, "cudnnAddTensor", kFields);
MAYA_CUDNN_SCHEMA(op_schema, "cudnnOpTensor", kFields);
MAYA_CUDNN_SCHEMA(scale_schema, "cudnnScaleTensor", kFields);
MAYA_CUDNN_SCHEMA(set_schema, "cudnnSetTensor", kFields);
MAYA_CUDNN_SCHEMA(transform_schema, "cudnnTransformTensor", kFields);
MAYA_CUDNN_SCHEMA(reduce_schema, "cudnnReduceTensor", kFields);

int record(maya::Schema& schema, void* handle, int op, int compute_type, void* in_desc, void* out_desc,
           void* out) {
  maya::Handle* owner = library(handle);
  if (!owner) return kBadParam;
  TensorDesc in, result;
  if (!load(in_desc, &in) || !load(out_desc, &result)) return fail(kBadParam, "not a set tensor descriptor");
  if (!out) return fail(kBadParamNullPointer, "result pointer == nullptr");
  Shapes shapes;
  shapes.add(in).add(result);
  maya::submit(schema,
               {op, cuda_type(compute_type), elements(in), elements(result), cuda_type(in.type),
                cuda_type(result.type)},
               maya::stream_of(*owner), 0, 0, shapes.blob());
  written(out);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCreateOpTensorDescriptor(void** opTensorDesc) {
  return create<OpTensorDesc>(opTensorDesc);
}
int cudnnDestroyOpTensorDescriptor(void* opTensorDesc) {
  return destroy<OpTensorDesc>(opTensorDesc);
}
int cudnnCreateReduceTensorDescriptor(void** reduceTensorDesc) {
  return create<ReduceDesc>(reduceTensorDesc);
}
int cudnnDestroyReduceTensorDescriptor(void* reduceTensorDesc) {
  return destroy<ReduceDesc>(reduceTensorDesc);
}

int cudnnSetOpTensorDescriptor(void* opTensorDesc, int opTensorOp, int opTensorCompType, int opTensorNanOpt) {
  return assign(opTensorDesc, OpTensorDesc{opTensorOp, opTensorCompType, opTensorNanOpt});
}

int cudnnGetOpTensorDescriptor(void* opTensorDesc, int* opTensorOp, int* opTensorCompType,
                               int* opTensorNanOpt) {
  OpTensorDesc desc;
  if (!load(opTensorDesc, &desc)) return fail(kBadParam, "not a set op-tensor descriptor");
  store(opTensorOp, desc.op);
  store(opTensorCompType, desc.compute_type);
  store(opTensorNanOpt, desc.nan);
  return kSuccess;
}

int cudnnSetReduceTensorDescriptor(void* reduceTensorDesc, int reduceTensorOp, int reduceTensorCompType,
                                   int reduceTensorNanOpt, int reduceTensorIndices,
                                   int reduceTensorIndicesType) {
  return assign(reduceTensorDesc, ReduceDesc{reduceTensorOp, reduceTensorCompType, reduceTensorNanOpt,
                                             reduceTensorIndices, reduceTensorIndicesType});
}

int cudnnGetReduceTensorDescriptor(void* reduceTensorDesc, int* reduceTensorOp, int* reduceTensorCompType,
                                   int* reduceTensorNanOpt, int* reduceTensorIndices,
                                   int* reduceTensorIndicesType) {
  ReduceDesc desc;
  if (!load(reduceTensorDesc, &desc)) return fail(kBadParam, "not a set reduction descriptor");
  store(reduceTensorOp, desc.op);
  store(reduceTensorCompType, desc.compute_type);
  store(reduceTensorNanOpt, desc.nan);
  store(reduceTensorIndices, desc.indices);
  store(reduceTensorIndicesType, desc.indices_type);
  return kSuccess;
}

int cudnnGetReductionIndicesSize(void* handle, void* reduceTensorDesc, void* aDesc, void* cDesc,
                                 size_t* sizeInBytes) {
  ReduceDesc desc;
  TensorDesc a, c;
  if (!library(handle) || !sizeInBytes) return kBadParam;
  if (!load(reduceTensorDesc, &desc) || !load(aDesc, &a) || !load(cDesc, &c)) {
    return fail(kBadParam, "not a set descriptor");
  }
  constexpr size_t kWidths[] = {4, 8, 2, 1};
  bool wanted = desc.indices == kFlattenedIndices;
  *sizeInBytes = wanted ? static_cast<size_t>(elements(c)) * kWidths[desc.indices_type & 3] : 0;
  return kSuccess;
}

int cudnnGetReductionWorkspaceSize(void* handle, void* reduceTensorDesc, void* aDesc, void* cDesc,
                                   size_t* sizeInBytes) {
  ReduceDesc desc;
  TensorDesc a, c;
  if (!library(handle) || !sizeInBytes) return kBadParam;
  if (!load(reduceTensorDesc, &desc) || !load(aDesc, &a) || !load(cDesc, &c)) {
    return fail(kBadParam, "not a set descriptor");
  }
  // Partial results of a two-pass reduction, at most one per input element.
  *sizeInBytes = static_cast<size_t>(std::min(elements(a), elements(c) * 256)) * 8;
  return kSuccess;
}

int cudnnReduceTensor(void* handle, void* reduceTensorDesc, void* indices, size_t, void*, size_t, const void*,
                      void* aDesc, const void*, const void*, void* cDesc, void* C) {
  ReduceDesc desc;
  if (!load(reduceTensorDesc, &desc)) return fail(kBadParam, "not a set reduction descriptor");
  int status = record(reduce_schema, handle, desc.op, desc.compute_type, aDesc, cDesc, C);
  if (status == kSuccess) written(indices);
  return status;
}

int cudnnOpTensor(void* handle, void* opTensorDesc, const void*, void* aDesc, const void*, const void*,
                  void* bDesc, const void*, const void*, void* cDesc, void* C) {
  OpTensorDesc desc;
  TensorDesc b;
  if (!load(opTensorDesc, &desc) || !load(bDesc, &b)) return fail(kBadParam, "not a set descriptor");
  return record(op_schema, handle, desc.op, desc.compute_type, aDesc, cDesc, C);
}

int cudnnAddTensor(void* handle, const void*, void* aDesc, const void*, const void*, void* cDesc, void* C) {
  return record(add_schema, handle, 0, 0, aDesc, cDesc, C);
}

int cudnnScaleTensor(void* handle, void* yDesc, void* y, const void*) {
  return record(scale_schema, handle, 0, 0, yDesc, yDesc, y);
}

int cudnnSetTensor(void* handle, void* yDesc, void* y, const void*) {
  return record(set_schema, handle, 0, 0, yDesc, yDesc, y);
}

int cudnnTransformTensor(void* handle, const void*, void* xDesc, const void*, const void*, void* yDesc,
                         void* y) {
  return record(transform_schema, handle, 0, 0, xDesc, yDesc, y);
}

int cudnnTransformTensorEx(void* handle, void* transDesc, const void*, void* srcDesc, const void*,
                           const void*, void* destDesc, void* destData) {
  if (!find(transDesc, kTensorTransformObject)) return fail(kBadParam, "not a transform descriptor");
  return record(transform_schema, handle, 0, 0, srcDesc, destDesc, destData);
}

}  // extern "C"
