// Streams, events and stream capture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maya/progress.h"
#include "maya/record.h"

namespace maya {

struct Graph;

struct CaptureSession;

struct Stream {
  uint16_t number = 0;
  int device = 0;
  int priority = 0;
  unsigned flags = 0;  // 1: does not synchronise with the legacy default stream
  uint64_t id = 0;
  CaptureSession* capture = nullptr;
  std::vector<size_t> capture_tail;  // nodes the next captured node depends on
  std::shared_ptr<Progress> progress;
  uint64_t context = 0;          // number of the context it belongs to
  bool made_by_program = false;  // no default stream
};

struct Event {
  uint64_t number = 0;
  uint64_t version = 0;  // grows with each record; waits name (number, version)
  unsigned flags = 0;
  int device = 0;
  uint64_t context = 0;
  bool recorded = false;
  uint64_t time_ns = 0;
  MomentRef moment;                   // in virtual time, while it is not known
  Point point;                        // what it stands behind
  CaptureSession* capture = nullptr;  // recorded inside a capture
  std::vector<size_t> capture_nodes;
};

// Handles 0 and 1 are the legacy default stream, 2 the calling thread's; nullptr when the handle is not a
// stream. `per_thread` says what handle 0 means (the _ptsz entry points).
MAYA_EXPORT Stream* find_stream(void* handle, bool per_thread = false);
MAYA_EXPORT Stream& default_stream(int device);
MAYA_EXPORT void* create_stream(int device, unsigned flags, int priority);
MAYA_EXPORT bool destroy_stream(void* handle);

// All streams and events of a context but the default streams, which every context has.
void release_context_streams(int device, uint64_t context);

MAYA_EXPORT Event* find_event(void* handle);
MAYA_EXPORT void* create_event(int device, unsigned flags);
MAYA_EXPORT bool destroy_event(void* handle);
MAYA_EXPORT void record_event(Event& event, Stream& stream);
// False when a capture forbids it.
MAYA_EXPORT bool wait_event(Stream& stream, Event& event);

// The host waits (recorded); what: "device", "stream", "event", "query", "event_query".
// False when the stream is being captured, where waiting is an error.
MAYA_EXPORT bool synchronize_device(int device);
MAYA_EXPORT bool synchronize_stream(Stream& stream);
MAYA_EXPORT void synchronize_event(Event& event);
// The host asks without waiting; a captured stream may not be asked.
enum class Answer { done, pending, capturing };
MAYA_EXPORT Answer query_stream(Stream& stream);
MAYA_EXPORT Answer query_event(Event& event);
// Whether the time between two events is known yet.
MAYA_EXPORT bool time_known(Event& start, Event& end);

// Records, then runs the callback on this thread: all earlier work on the stream is "done".
MAYA_EXPORT void host_callback(Stream& stream, void (*function)(void*), void* user_data);

// Draws `stream` into the capture that `event` was recorded in.
MAYA_EXPORT bool join_capture(Stream& stream, Event& event);

MAYA_EXPORT uint64_t now_ns();

}  // namespace maya
