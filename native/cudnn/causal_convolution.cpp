// One-dimensional causal convolutions of state-space models; these take a stream instead of a handle.
#include "descriptor.h"
#include "gen/cudnn.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

constexpr const char* kFields[] = {"batch",        "dim",  "length",  "kernel",
                                   "mixer_kernel", "type", "dw_type", "activation"};
MAYA_CUDNN_SCHEMA(forward_schema, "cudnnCausalConv1dForward", kFields);
MAYA_CUDNN_SCHEMA(backward_schema, "cudnnCausalConv1dBackward", kFields);
MAYA_CUDNN_SCHEMA(nwh_forward_schema, "cudnnCausalConv1dNwhForward", kFields);
MAYA_CUDNN_SCHEMA(nwh_backward_schema, "cudnnCausalConv1dNwhBackward", kFields);
MAYA_CUDNN_SCHEMA(b2b_forward_schema, "cudnnB2BCausalConv1dForward", kFields);
MAYA_CUDNN_SCHEMA(b2b_backward_schema, "cudnnB2BCausalConv1dBackward", kFields);
MAYA_CUDNN_SCHEMA(fft_forward_schema, "cudnnFFTCausalConv1dForward", kFields);
MAYA_CUDNN_SCHEMA(fft_backward_schema, "cudnnFFTCausalConv1dBackward", kFields);

struct Sizes {
  int batch, dim, length, kernel, mixer_kernel, type, dw_type, activation;
};

template <typename... Results>
int run(maya::Schema& schema, void* stream, const Sizes& s, Results... results) {
  maya::Stream* where = maya::find_stream(stream);
  if (!where) return fail(kBadParam, "not a live stream");
  if (s.batch < 1 || s.dim < 1 || s.length < 1 || s.kernel < 1)
    return fail(kBadParam, "sizes must be positive");
  maya::submit(schema,
               {s.batch, s.dim, s.length, s.kernel, s.mixer_kernel, cuda_type(s.type), cuda_type(s.dw_type),
                s.activation},
               *where);
  written(results...);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudnnCausalConv1dForward(void* stream, const void*, const void*, const void*, void* y, int batch, int dim,
                             int seqLen, int kernelSize, int dataType, int activation) {
  return run(forward_schema, stream, {batch, dim, seqLen, kernelSize, 0, dataType, dataType, activation}, y);
}

int cudnnCausalConv1dNwhForward(void* stream, const void*, const void*, const void*, void* y, int batch,
                                int dim, int seqLen, int kernelSize, int dataType, int activation) {
  return run(nwh_forward_schema, stream, {batch, dim, seqLen, kernelSize, 0, dataType, dataType, activation},
             y);
}

int cudnnCausalConv1dBackward(void* stream, const void*, const void*, const void*, const void*, void* dx,
                              void* dweight, void* dbias, int batch, int dim, int seqLen, int kernelSize,
                              int dataType, int dwDataType, int activation) {
  return run(backward_schema, stream, {batch, dim, seqLen, kernelSize, 0, dataType, dwDataType, activation},
             dx, dweight, dbias);
}

int cudnnCausalConv1dNwhBackward(void* stream, const void*, const void*, const void*, const void*, void* dx,
                                 void* dweight, void* dbias, int batch, int dim, int seqLen, int kernelSize,
                                 int dataType, int dwDataType, int activation) {
  return run(nwh_backward_schema, stream,
             {batch, dim, seqLen, kernelSize, 0, dataType, dwDataType, activation}, dx, dweight, dbias);
}

int cudnnB2BCausalConv1dForward(void* stream, const void*, const void*, const void*, const void*, void* y,
                                void* yGated, int batch, int dim, int seqLen, int kernelSizeProj,
                                int kernelSizeMixer, int dataType) {
  return run(b2b_forward_schema, stream,
             {batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType, dataType, 0}, y, yGated);
}

int cudnnB2BCausalConv1dBackward(void* stream, const void*, const void*, const void*, const void*,
                                 const void*, const void*, void* dx, void* dweightsProj, void* dweightsMixer,
                                 void* dskipBias, int batch, int dim, int seqLen, int kernelSizeProj,
                                 int kernelSizeMixer, int dataType, int dwDataType) {
  return run(b2b_backward_schema, stream,
             {batch, dim, seqLen, kernelSizeProj, kernelSizeMixer, dataType, dwDataType, 0}, dx, dweightsProj,
             dweightsMixer, dskipBias);
}

int cudnnFFTCausalConv1dForward(void* stream, const void*, const void*, void* y, int batch, int dim,
                                int seqLen, int kernelSize, int dataType) {
  return run(fft_forward_schema, stream, {batch, dim, seqLen, kernelSize, 0, dataType, dataType, 0}, y);
}

int cudnnFFTCausalConv1dBackward(void* stream, const void*, const void*, const void*, void* dx, void* dweight,
                                 int batch, int dim, int seqLen, int kernelSize, int dataType) {
  return run(fft_backward_schema, stream, {batch, dim, seqLen, kernelSize, 0, dataType, dataType, 0}, dx,
             dweight);
}

}  // extern "C"
