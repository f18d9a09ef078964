// Recurrent networks: what their descriptors hold and how their weights lie.
#pragma once

#include "descriptor.h"

namespace maya::cudnn {

struct RnnDesc {
  static constexpr int kObject = kRnnObject;
  int algorithm = 0;
  int cell = 0;
  int bias = kDoubleBias;
  int bidirectional = 0;
  int input_mode = 0;
  int type = 0;
  int math_precision = 0;
  int math_type = 0;
  int input = 0;
  int hidden = 0;
  int projection = 0;
  int layers = 0;
  void* dropout = nullptr;
  uint32_t flags = 0;
  int clip_mode = 0;
  int clip_nan = 0;
  double clip_low = 0;
  double clip_high = 0;

  int directions() const { return bidirectional ? 2 : 1; }
  // Width of the recurrent state, which a projection narrows.
  int state() const { return projection > 0 ? projection : hidden; }
  bool projects() const { return cell == kLstm && projection > 0 && projection != hidden; }
  // Matrices applied to the input, and as many applied to the state.
  int gates() const { return cell == kLstm ? 4 : cell == kGru ? 3 : 1; }
  int biases() const { return bias == kNoBias ? 0 : bias == kDoubleBias ? 2 : 1; }
  int input_of(int layer) const { return layer == 0 ? input : state() * directions(); }
};

// Sequence lengths are stored beside it as a second attribute.
struct RnnDataDesc {
  static constexpr int kObject = kRnnDataObject;
  int type = 0;
  int layout = 0;
  int max_length = 0;
  int batch = 0;
  int vector = 0;
  int64_t total_length = 0;
};

struct WeightPlace {
  int64_t matrix = 0, bias = -1;  // offsets in elements; -1: none
  int rows = 0, columns = 0;
};

// All matrices come first, layer by layer (for each direction: input matrices of every gate, then
// recurrent ones, then the projection); all biases follow in the same order.
int64_t weight_elements(const RnnDesc& rnn);
// Place of one linear layer; false when there is no such.
bool weight_place(const RnnDesc& rnn, int pseudo_layer, int linear_layer, WeightPlace* place);

}  // namespace maya::cudnn
