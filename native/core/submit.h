// Device work on its way to the capture.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "maya/stream.h"

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
  bool moves_data = false;        // a copy or a memset
  bool applies_gradient = false;  // reads what backward made, outside backward
  bool whole_step = false;        // a graph with an optimiser inside: nothing of this step can follow
};

// The correlation id under which the listener was told, or 0.
uint32_t submit_definition(Schema& schema, uint32_t definition, const int64_t* values, size_t count,
                           Stream& stream, uint64_t a, uint64_t b, const WorkKey& key, const char* name);

}  // namespace maya
