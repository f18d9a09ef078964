// The functions that predate operation graphs.
#include <cstring>
#include <string>

#include "check.h"

namespace {

// As the interface lays out cudnnConvolution*AlgoPerf_t.
struct Performance {
  int algorithm, status;
  float milliseconds;
  size_t memory;
  int determinism, math_type, reserved[3];
};

void versions() {
  size_t version = cudnnGetVersion();
  CHECK(version >= 91002);
  int parts[3] = {};
  for (int i = 0; i < 3; ++i) OK(cudnnGetProperty(i, &parts[i]));
  CHECK(static_cast<size_t>(parts[0] * 10000 + parts[1] * 100 + parts[2]) == version);
  int runtime = 0;
  CHECK(cudaRuntimeGetVersion(&runtime) == 0);
  CHECK(cudnnGetCudartVersion() == static_cast<size_t>(runtime));
  CHECK(std::strcmp(cudnnGetErrorString(2000), "CUDNN_STATUS_BAD_PARAM") == 0);
  OK(cudnnOpsVersionCheck());
  int state = 1;
  OK(cudnnQueryRuntimeError(library(), &state, 0, nullptr));
  CHECK(state == 0);
}

void streams() {
  void* handle = library();
  void* stream = nullptr;
  void* found = &stream;
  OK(cudnnGetStream(handle, &found));
  CHECK(found == nullptr);
  CHECK(cudaStreamCreate(&stream) == 0);
  OK(cudnnSetStream(handle, stream));
  OK(cudnnGetStream(handle, &found));
  CHECK(found == stream);
  OK(cudnnDestroy(handle));
  CHECK(category(cudnnSetStream(handle, stream)) == kBadParam);
}

struct Convolution {
  void* handle = library();
  void* x = tensor(kHalf, {4, 16, 32, 32});
  void* y = tensor(kHalf, {4, 32, 16, 16});
  void *w = nullptr, *how = nullptr;
  Convolution() {
    OK(cudnnCreateFilterDescriptor(&w));
    OK(cudnnSetFilter4dDescriptor(w, kHalf, 0, 32, 8, 3, 3));
    OK(cudnnCreateConvolutionDescriptor(&how));
    OK(cudnnSetConvolution2dDescriptor(how, 1, 1, 2, 2, 1, 1, 1, kFloat));
    OK(cudnnSetConvolutionGroupCount(how, 2));
    OK(cudnnSetConvolutionMathType(how, 1));
  }
};

void convolution() {
  Convolution c;
  int dim[4] = {};
  OK(cudnnGetConvolutionNdForwardOutputDim(c.how, c.x, c.w, 4, dim));
  CHECK(dim[0] == 4 && dim[1] == 32 && dim[2] == 16 && dim[3] == 16);
  Performance results[8];
  int count = 0;
  OK(cudnnGetConvolutionForwardAlgorithm_v7(c.handle, c.x, c.w, c.how, c.y, 8, &count, results));
  CHECK(count > 1 && results[0].status == 0 && results[0].milliseconds > 0);
  CHECK(results[0].milliseconds < results[1].milliseconds && results[0].math_type == 1);
  size_t bytes = 0;
  int algorithm = results[0].algorithm;
  OK(cudnnGetConvolutionForwardWorkspaceSize(c.handle, c.x, c.w, c.how, c.y, algorithm, &bytes));
  CHECK(bytes == results[0].memory);
  void* data = device(1 << 20);
  void* workspace = device(bytes + 256);
  float one = 1, zero = 0;
  auto forward = [&](size_t given) {
    return cudnnConvolutionForward(c.handle, &one, c.x, data, c.w, data, c.how, algorithm, workspace, given,
                                   &zero, c.y, data);
  };
  OK(forward(bytes));
  CHECK(category(forward(bytes - 1)) == kBadParam);
  OK(cudnnFindConvolutionBackwardDataAlgorithmEx(c.handle, c.w, data, c.y, data, c.how, c.x, data, 8, &count,
                                                 results, workspace, 0));
  CHECK(count >= 1 && results[0].memory == 0);
  void* wrong = tensor(kHalf, {4, 32, 17, 16});
  CHECK(category(cudnnGetConvolutionForwardWorkspaceSize(c.handle, c.x, c.w, c.how, wrong, 1, &bytes)) ==
        kBadParam);
}

void rnn(int cell, int linear_layers, int projection) {
  void *handle = library(), *desc = nullptr, *dropout = nullptr;
  OK(cudnnCreateDropoutDescriptor(&dropout));
  OK(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
  OK(cudnnCreateRNNDescriptor(&desc));
  OK(cudnnSetRNNDescriptor_v8(desc, 0, cell, 2, 1, 0, kFloat, kFloat, 0, 24, 16, projection, 2, dropout, 1));
  size_t total = 0, covered = 0;
  OK(cudnnGetRNNWeightSpaceSize(handle, desc, &total));
  char* space = static_cast<char*>(device(total));
  void *matrix = tensor(kFloat, {1, 1, 1}), *bias = tensor(kFloat, {1, 1, 1});
  std::vector<bool> seen(total / 4);
  auto cover = [&](void* of, void* at) {
    if (!at) return;
    size_t bytes = 0;
    OK(cudnnGetTensorSizeInBytes(of, &bytes));
    size_t first = static_cast<size_t>(static_cast<char*>(at) - space) / 4;
    for (size_t i = first; i < first + bytes / 4; ++i) {
      CHECK(i < seen.size() && !seen[i]);
      seen[i] = true;
    }
    covered += bytes;
  };
  bool projects = projection < 16;
  for (int layer = 0; layer < 4; ++layer) {
    for (int linear = 0; linear < linear_layers + (projects ? 1 : 0); ++linear) {
      void *m = nullptr, *b = nullptr;
      OK(cudnnGetRNNWeightParams(handle, desc, layer, total, space, linear, matrix, &m, bias, &b));
      cover(matrix, m);
      cover(bias, b);
    }
  }
  CHECK(covered == total);
  CHECK(category(cudnnGetRNNWeightParams(handle, desc, 4, total, space, 0, matrix, nullptr, bias, nullptr)) ==
        kBadParam);
}

void rnn_calls() {
  void *handle = library(), *desc = nullptr, *dropout = nullptr, *x = nullptr, *y = nullptr;
  OK(cudnnCreateDropoutDescriptor(&dropout));
  OK(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
  OK(cudnnCreateRNNDescriptor(&desc));
  OK(cudnnSetRNNDescriptor_v8(desc, 0, 2, 2, 0, 0, kHalf, kFloat, 1, 24, 16, 16, 1, dropout, 1));
  OK(cudnnCreateRNNDataDescriptor(&x));
  OK(cudnnCreateRNNDataDescriptor(&y));
  int lengths[] = {7, 5, 2};
  OK(cudnnSetRNNDataDescriptor(x, kHalf, 0, 7, 3, 24, lengths, nullptr));
  OK(cudnnSetRNNDataDescriptor(y, kHalf, 0, 7, 3, 16, lengths, nullptr));
  size_t weights = 0, workspace = 0, reserve = 1;
  OK(cudnnGetRNNWeightSpaceSize(handle, desc, &weights));
  OK(cudnnGetRNNTempSpaceSizes(handle, desc, 0, x, &workspace, &reserve));
  CHECK(workspace > 0 && reserve == 0);
  OK(cudnnGetRNNTempSpaceSizes(handle, desc, 1, x, &workspace, &reserve));
  CHECK(reserve > 0);
  void *data = device(1 << 20), *h = tensor(kHalf, {1, 3, 16});
  auto forward = [&](void* out, size_t kept) {
    return cudnnRNNForward(handle, desc, 1, nullptr, x, data, out, data, h, data, data, h, data, data,
                           weights, data, workspace, data, kept, data);
  };
  OK(forward(y, reserve));
  CHECK(category(forward(y, reserve - 1)) == kBadParam);
  CHECK(category(forward(x, reserve)) == kBadParam);
  OK(cudnnRNNBackwardWeights_v8(handle, desc, 0, nullptr, x, data, h, data, y, data, weights, data, workspace,
                                data, reserve, data));
}

void ctc() {
  void *handle = library(), *desc = nullptr, *probs = tensor(kFloat, {50, 4, 20});
  OK(cudnnCreateCTCLossDescriptor(&desc));
  OK(cudnnSetCTCLossDescriptorEx(desc, kFloat, 1, 0));
  int labels[40] = {}, label_lengths[] = {10, 8, 12, 10}, lengths[] = {50, 50, 50, 50};
  size_t bytes = 0;
  OK(cudnnGetCTCLossWorkspaceSize(handle, probs, probs, labels, label_lengths, lengths, 0, desc, &bytes));
  CHECK(bytes > 0);
  void* data = device(1 << 20);
  OK(cudnnCTCLoss(handle, probs, data, labels, label_lengths, lengths, data, probs, data, 0, desc,
                  device(bytes), bytes));
}

void small_operations() {
  void *handle = library(), *x = tensor(kFloat, {8, 4, 6, 6}), *y = tensor(kFloat, {8, 4, 3, 3});
  void *data = device(1 << 16), *pooling = nullptr, *activation = nullptr, *bn = tensor(kFloat, {1, 4, 1, 1});
  float one = 1, zero = 0;
  OK(cudnnCreatePoolingDescriptor(&pooling));
  OK(cudnnSetPooling2dDescriptor(pooling, 0, 0, 2, 2, 0, 0, 2, 2));
  OK(cudnnPoolingForward(handle, pooling, &one, x, data, &zero, y, data));
  OK(cudnnCreateActivationDescriptor(&activation));
  OK(cudnnSetActivationDescriptor(activation, 1, 0, 0));
  OK(cudnnActivationForward(handle, activation, &one, x, data, &zero, x, data));
  OK(cudnnSoftmaxForward(handle, 1, 1, &one, x, data, &zero, x, data));
  OK(cudnnDeriveBNTensorDescriptor(bn, x, 1));
  int dim[4] = {}, type = -1, dims = 0;
  OK(cudnnGetTensorNdDescriptor(bn, 4, &type, &dims, dim, nullptr));
  CHECK(dims == 4 && dim[1] == 4 && dim[2] == 1 && type == kFloat);
  OK(cudnnBatchNormalizationForwardTrainingEx(handle, 1, 0, &one, &zero, x, data, nullptr, nullptr, x, data,
                                              bn, data, data, 0.1, data, data, 1e-5, data, data, nullptr,
                                              nullptr, 0, nullptr, 0));
  OK(cudnnAddTensor(handle, &one, bn, data, &one, x, data));
  size_t states = 0;
  OK(cudnnDropoutGetStatesSize(handle, &states));
  CHECK(states > 0);
}

void results_are_unknown() {
  void *handle = library(), *x = tensor(kFloat, {1, 1, 2, 2}), *data = device(256);
  float values[4] = {1, 2, 3, 4}, one = 1, zero = 0;
  CHECK(cudaMemcpy(data, values, sizeof values, 1) == 0);
  OK(cudnnSoftmaxForward(handle, 1, 1, &one, x, data, &zero, x, data));
  CHECK(cudaMemcpy(values, data, sizeof values, 2) == 0);
  CHECK(values[0] == 0);
}

void wrong_use() {
  void *handle = library(), *desc = nullptr, *data = device(256);
  OK(cudnnCreateTensorDescriptor(&desc));
  int dim[] = {1, 0, 2, 2};
  float one = 1, zero = 0;
  CHECK(category(cudnnSetTensorNdDescriptorEx(desc, 0, kFloat, 4, dim)) == kBadParam);
  CHECK(category(cudnnSoftmaxForward(handle, 0, 0, &one, desc, data, &zero, desc, data)) == kBadParam);
  OK(cudnnDestroyTensorDescriptor(desc));
  CHECK(category(cudnnDestroyTensorDescriptor(desc)) == kBadParam);
  CHECK(category(cudnnSetStream(handle, data)) == kBadParam);
  void* x = tensor(kFloat, {1, 1, 2, 2});
  CHECK(category(cudnnSoftmaxForward(x, 0, 0, &one, x, data, &zero, x, data)) == kBadParam);
  CHECK(category(cudnnGetFilterSizeInBytes(x, nullptr)) == kBadParam);
  char why[256] = "";
  cudnnGetLastErrorString(why, sizeof why);
  CHECK(std::strstr(why, "CUDNN_STATUS_BAD_PARAM") != nullptr);
}

}  // namespace

int main(int, char** arguments) {
  std::string what = arguments[1];
  if (what == "versions") versions();
  if (what == "streams") streams();
  if (what == "convolution") convolution();
  if (what == "weights") {
    rnn(2, 8, 16);
    rnn(2, 8, 6);
    rnn(3, 6, 16);
    rnn(1, 2, 16);
  }
  if (what == "rnn") rnn_calls();
  if (what == "ctc") ctc();
  if (what == "small") small_operations();
  if (what == "unknown") results_are_unknown();
  if (what == "wrong_use") wrong_use();
  return 0;
}
