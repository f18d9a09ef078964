// Device work on its way to the capture.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "maya/stream.h"

namespace maya {

// What the step detector compares: `exact` includes sizes, `loose` only what kind of work it is.
struct WorkKey {
  uint64_t exact;
  uint64_t loose;
  bool updates_weights = false;   // work that only an optimiser does
  bool applies_gradient = false;  // reads what backward made, outside backward
  bool whole_step = false;        // a graph with an optimiser inside: nothing of this step can follow
};

// The correlation id under which the listener was told, or 0.
uint32_t submit_definition(Schema& schema, uint32_t definition, const int64_t* values, size_t count,
                           Stream& stream, uint64_t a, uint64_t b, const WorkKey& key, const char* name);

}  // namespace maya
