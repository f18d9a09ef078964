// Telling the faked CUPTI about device work.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "maya/stream.h"

namespace maya {

// `name` overrides the schema's (a kernel's own name).
void report_activity(const Schema& schema, const int64_t* values, size_t count, const Stream& stream,
                     const char* name);

}  // namespace maya
