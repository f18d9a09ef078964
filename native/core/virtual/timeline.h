// When the devices of this process are done with what they were given, in virtual time.
//
// A collective begins when the last of its members has come to it, which may become known much later than it
// is asked for. What stands behind it on its stream, or waits for an event behind it, has to wait for its
// time (settler.h); the host waits only where it would wait for the device.
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

// Work of this definition was given to the stream; the host waits where the call would. What is told of work
// whose time is not known yet is how long it takes.
Span run_work(Stream& stream, uint32_t definition);
Span foreseen(uint32_t definition);
// One span for each node of a graph.
std::vector<Span> run_graph(Stream& stream, const GraphExec& exec);
// Sets when the event will have been recorded, or where that will be known.
void run_event(Stream& stream, Event& event);
// The stream goes on no earlier than the event.
void hold_stream(Stream& stream, Event& event);

// The host waits.
void await_stream(Stream& stream);
void await_device(int device);
void await_event(Event& event);
void await_time(int64_t at_ns);
// The host asks.
bool is_past(Event& event);
bool is_free(Stream& stream);

}  // namespace maya
