// One piece of device work, as the step detector sees it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maya {

// Whether work changes weights, as far as its name tells.
enum class Update : uint8_t {
  none,
  tensor_list,  // arithmetic on a list of tensors: an optimiser's, but also clipping or adding up gradients
  optimizer,    // bears an optimiser's name
};

// What the step detector compares: `exact` includes sizes, `loose` only what kind of work it is.
struct WorkKey {
  uint64_t exact;
  uint64_t loose;
  Update update = Update::none;
  size_t amount = 1;              // of kernels and library calls: a graph has many
  bool moves_data = false;        // a copy or a memset
  bool applies_gradient = false;  // reads what backward made, outside backward
  bool whole_step = false;        // a graph with an optimiser inside: nothing of this step can follow
  bool in_backward = false;       // asked for by one of autograd's threads
};

}  // namespace maya
