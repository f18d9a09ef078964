// Sizes and places of a recurrent network's weights, and of its temporary memory.
#include "gen/cudnn.h"
#include "rnn.h"

namespace maya::cudnn {
namespace {

int64_t matrix_elements(const RnnDesc& rnn, int layer) {
  int64_t columns = rnn.input_of(layer) + rnn.state();
  int64_t projection = rnn.projects() ? static_cast<int64_t>(rnn.projection) * rnn.hidden : 0;
  return rnn.gates() * columns * rnn.hidden + projection;
}

int64_t bias_elements(const RnnDesc& rnn) {
  return static_cast<int64_t>(rnn.biases()) * rnn.gates() * rnn.hidden;
}

int64_t all_matrices(const RnnDesc& rnn) {
  int64_t total = 0;
  for (int layer = 0; layer < rnn.layers; ++layer) total += rnn.directions() * matrix_elements(rnn, layer);
  return total;
}

// Which of the network's bias vectors belongs to a linear layer, counted within its pseudo-layer; -1: none.
int bias_number(const RnnDesc& rnn, int linear_layer) {
  bool recurrent = linear_layer >= rnn.gates();
  if (rnn.bias == kDoubleBias) return linear_layer;
  if (rnn.bias == kSingleInputBias && !recurrent) return linear_layer;
  if (rnn.bias == kSingleRecurrentBias && recurrent) return linear_layer - rnn.gates();
  return -1;
}

}  // namespace

int64_t weight_elements(const RnnDesc& rnn) {
  return all_matrices(rnn) + rnn.layers * rnn.directions() * bias_elements(rnn);
}

bool weight_place(const RnnDesc& rnn, int pseudo_layer, int linear_layer, WeightPlace* place) {
  int linear_layers = 2 * rnn.gates();
  if (pseudo_layer < 0 || pseudo_layer >= rnn.layers * rnn.directions()) return false;
  if (linear_layer < 0 || linear_layer >= linear_layers + (rnn.projects() ? 1 : 0)) return false;
  int layer = pseudo_layer / rnn.directions();
  for (int before = 0; before < pseudo_layer; ++before) {
    place->matrix += matrix_elements(rnn, before / rnn.directions());
  }
  int64_t input = static_cast<int64_t>(rnn.input_of(layer)) * rnn.hidden;
  int64_t recurrent = static_cast<int64_t>(rnn.state()) * rnn.hidden;
  place->rows = rnn.hidden;
  place->columns = linear_layer < rnn.gates() ? rnn.input_of(layer) : rnn.state();
  if (linear_layer < rnn.gates()) {
    place->matrix += linear_layer * input;
  } else if (linear_layer < linear_layers) {
    place->matrix += rnn.gates() * input + (linear_layer - rnn.gates()) * recurrent;
  } else {
    place->matrix += rnn.gates() * (input + recurrent);
    place->rows = rnn.projection;
    place->columns = rnn.hidden;
    return true;
  }
  int bias = bias_number(rnn, linear_layer);
  if (bias < 0) return true;
  place->bias =
      all_matrices(rnn) + pseudo_layer * bias_elements(rnn) + static_cast<int64_t>(bias) * rnn.hidden;
  return true;
}

}  // namespace maya::cudnn

using namespace maya::cudnn;

extern "C" {

int cudnnGetRNNWeightSpaceSize(void* handle, void* rnnDesc, size_t* weightSpaceSize) {
  RnnDesc rnn;
  if (!library(handle)) return kBadParam;
  if (!load(rnnDesc, &rnn) || !weightSpaceSize) return fail(kBadParam, "not a set RNN descriptor");
  *weightSpaceSize = static_cast<size_t>(weight_elements(rnn)) * bytes_of(rnn.type);
  return kSuccess;
}

int cudnnGetRNNWeightParams(void* handle, void* rnnDesc, int32_t pseudoLayer, size_t weightSpaceSize,
                            const void* weightSpace, int32_t linLayerID, void* mDesc, void** mAddr,
                            void* bDesc, void** bAddr) {
  RnnDesc rnn;
  WeightPlace place;
  if (!library(handle)) return kBadParam;
  if (!load(rnnDesc, &rnn)) return fail(kBadParam, "not a set RNN descriptor");
  if (!weight_place(rnn, pseudoLayer, linLayerID, &place)) return fail(kBadParam, "no such linear layer");
  if (weightSpaceSize < static_cast<size_t>(weight_elements(rnn)) * bytes_of(rnn.type)) {
    return fail(kBadParam, "weight space is too small");
  }
  auto address = [&](int64_t offset) -> void* {
    if (offset < 0) return nullptr;
    auto base = reinterpret_cast<uintptr_t>(weightSpace);
    return reinterpret_cast<void*>(base + static_cast<uintptr_t>(offset) * bytes_of(rnn.type));
  };
  const int matrix[] = {1, place.rows, place.columns}, bias[] = {1, place.rows, 1};
  if (mDesc) assign(mDesc, packed(rnn.type, 3, matrix));
  if (bDesc && place.bias >= 0) assign(bDesc, packed(rnn.type, 3, bias));
  store(mAddr, address(place.matrix));
  store(bAddr, address(place.bias));
  return kSuccess;
}

int cudnnGetRNNTempSpaceSizes(void* handle, void* rnnDesc, int fwdMode, void* xDesc, size_t* workSpaceSize,
                              size_t* reserveSpaceSize) {
  RnnDesc rnn;
  RnnDataDesc x;
  if (!library(handle)) return kBadParam;
  if (!load(rnnDesc, &rnn) || !load(xDesc, &x)) return fail(kBadParam, "not a set descriptor");
  // Activations of every gate at every time step; training keeps them, with states and inputs, per layer.
  size_t steps = static_cast<size_t>(x.max_length) * static_cast<size_t>(x.batch);
  size_t width = static_cast<size_t>(rnn.directions()) * static_cast<size_t>(rnn.hidden) * bytes_of(rnn.type);
  size_t gates = static_cast<size_t>(rnn.gates());
  store(workSpaceSize, steps * width * (gates + 1));
  size_t kept = steps * width * (gates + 2) * static_cast<size_t>(rnn.layers);
  store(reserveSpaceSize, fwdMode == 1 ? kept : size_t{0});
  return kSuccess;
}

}  // extern "C"
