// Telling the faked CUPTI about device work.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "maya/runtime.h"
#include "maya/stream.h"
#include "virtual/stream_times.h"

namespace maya {

// `name` overrides the schema's (a kernel's own name). Without times and correlation.
Activity describe_activity(const Schema& schema, const int64_t* values, size_t count, const Stream& stream,
                           const char* name);
// Tells the listener, if there is one; returns the correlation id that was given. `span`: in virtual time,
// where the run has it.
uint32_t report_activity(const Schema& schema, const int64_t* values, size_t count, const Stream& stream,
                         const char* name, Span span);
// Work inside a graph has the correlation id of the graph's launch.
void report_graph_work(Activity activity, uint32_t correlation, Span span);
void report_wait(WaitKind kind, int device, uint16_t stream, uint64_t event);

}  // namespace maya
