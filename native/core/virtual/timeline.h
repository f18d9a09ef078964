// When the devices of this process are done with what they were given, in virtual time.
//
// Kernels of different streams do not slow each other down here, as they do in the simulation. Nothing of
// this is called in a run with the real clock.
#pragma once

#include <cstdint>
#include <vector>

#include "maya/graph.h"
#include "maya/stream.h"
#include "virtual/stream_times.h"

namespace maya {

// Work of this definition was given to the stream; the host waits where the call would.
Span run_work(Stream& stream, uint32_t definition);
// One span for each node of a graph.
std::vector<Span> run_graph(Stream& stream, const GraphExec& exec);
// When the event will have been recorded.
int64_t run_event(Stream& stream);
// The stream goes on no earlier than this.
void hold_stream(Stream& stream, int64_t until_ns);

// The host waits.
void await_stream(Stream& stream);
void await_device(int device);
void await_time(int64_t at_ns);
// The host asks.
bool is_past(int64_t at_ns);
bool is_free(Stream& stream);

}  // namespace maya
