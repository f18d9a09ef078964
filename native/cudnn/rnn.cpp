// Recurrent networks: forward, data gradient, weight gradient.
#include "rnn.h"

#include "gen/cudnn.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

constexpr const char* kFields[] = {
    "training", "cell",         "algorithm",  "input_mode", "bias_mode",      "directions", "layers",
    "input",    "hidden",       "projection", "type",       "math_precision", "math_type",  "max_length",
    "batch",    "total_length", "layout",     "dropout",    "weights_bytes",  "workspace",  "reserve"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnn_rnn_fwd", kFields);
MAYA_CUDNN_SCHEMA(data_schema, "cudnn_rnn_bwd_data", kFields);
MAYA_CUDNN_SCHEMA(weights_schema, "cudnn_rnn_bwd_weights", kFields);

struct Spaces {
  size_t weights, workspace, reserve;
};

int64_t drops(const RnnDesc& rnn) {
  DropoutDesc dropout;
  return rnn.dropout && load(rnn.dropout, &dropout) && dropout.probability > 0;
}

int run(maya::Schema& schema, void* handle, void* rnn_desc, int training, void* x_desc, void* y_desc,
        const Spaces& spaces) {
  maya::Handle* owner = library(handle);
  RnnDesc rnn;
  RnnDataDesc x, y;
  if (!owner) return kBadParam;
  if (!load(rnn_desc, &rnn) || !load(x_desc, &x) || !load(y_desc, &y))
    return fail(kBadParam, "not a set descriptor");
  if (x.vector != rnn.input || y.vector != rnn.state() * rnn.directions() || x.batch != y.batch) {
    return fail(kBadParamShapeMismatch, "data does not fit the network");
  }
  size_t workspace = 0, reserve = 0;
  cudnnGetRNNTempSpaceSizes(handle, rnn_desc, training, x_desc, &workspace, &reserve);
  size_t weights = static_cast<size_t>(weight_elements(rnn)) * bytes_of(rnn.type);
  if (spaces.weights < weights || spaces.workspace < workspace || spaces.reserve < reserve) {
    return fail(kBadParamSizeInsufficient, "weight, work or reserve space is too small");
  }
  maya::submit(schema,
               {training,
                rnn.cell,
                rnn.algorithm,
                rnn.input_mode,
                rnn.bias,
                rnn.directions(),
                rnn.layers,
                rnn.input,
                rnn.hidden,
                rnn.projection,
                cuda_type(rnn.type),
                cuda_type(rnn.math_precision),
                rnn.math_type,
                x.max_length,
                x.batch,
                x.total_length,
                x.layout,
                drops(rnn),
                static_cast<int64_t>(weights),
                static_cast<int64_t>(spaces.workspace),
                static_cast<int64_t>(spaces.reserve)},
               maya::stream_of(*owner));
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnRNNForward(void* handle, void* rnnDesc, int fwdMode, const int32_t*, void* xDesc, const void*,
                    void* yDesc, void* y, void*, const void*, void* hy, void*, const void*, void* cy,
                    size_t weightSpaceSize, const void*, size_t workSpaceSize, void*, size_t reserveSpaceSize,
                    void* reserveSpace) {
  maya::Call call;
  if (!y) return fail(kBadParamNullPointer, "y == nullptr");
  int status = run(forward_schema, handle, rnnDesc, fwdMode, xDesc, yDesc,
                   {weightSpaceSize, workSpaceSize, reserveSpaceSize});
  if (status == kSuccess) written(y, hy, cy, reserveSpace);
  return status;
}

int cudnnRNNBackwardData_v8(void* handle, void* rnnDesc, const int32_t*, void* yDesc, const void*,
                            const void*, void* xDesc, void* dx, void*, const void*, const void*, void* dhx,
                            void*, const void*, const void*, void* dcx, size_t weightSpaceSize, const void*,
                            size_t workSpaceSize, void*, size_t reserveSpaceSize, void* reserveSpace) {
  maya::Call call;
  int status =
      run(data_schema, handle, rnnDesc, 1, xDesc, yDesc, {weightSpaceSize, workSpaceSize, reserveSpaceSize});
  if (status == kSuccess) written(dx, dhx, dcx, reserveSpace);
  return status;
}

int cudnnRNNBackwardWeights_v8(void* handle, void* rnnDesc, int, const int32_t*, void* xDesc, const void*,
                               void*, const void*, void* yDesc, const void*, size_t weightSpaceSize,
                               void* dweightSpace, size_t workSpaceSize, void*, size_t reserveSpaceSize,
                               void*) {
  maya::Call call;
  if (!dweightSpace) return fail(kBadParamNullPointer, "dweightSpace == nullptr");
  int status = run(weights_schema, handle, rnnDesc, 1, xDesc, yDesc,
                   {weightSpaceSize, workSpaceSize, reserveSpaceSize});
  if (status == kSuccess) written(dweightSpace);
  return status;
}

}  // extern "C"
