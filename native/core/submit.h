// Device work on its way to the capture.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "maya/stream.h"
#include "steps/work.h"

namespace maya {

// The correlation id under which the listener was told, or 0.
uint32_t submit_definition(Schema& schema, uint32_t definition, const int64_t* values, size_t count,
                           Stream& stream, uint64_t a, uint64_t b, const WorkKey& key, const char* name);

}  // namespace maya
