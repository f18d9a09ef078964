#include "submit.h"

#include "activity.h"
#include "hash.h"
#include "maya/graph.h"
#include "maya/handles.h"
#include "maya/values.h"
#include "places.h"
#include "recorder.h"
#include "steps/process.h"
#include "virtual/clock_link.h"
#include "virtual/timeline.h"

namespace maya {
namespace {

NodeType node_type(Kind kind) {
  switch (kind) {
    case Kind::copy:
      return NodeType::memcpy;
    case Kind::memset:
      return NodeType::memset;
    case Kind::host_call:
      return NodeType::host;
    default:
      return NodeType::kernel;
  }
}

// Logging reads a scalar now and then; that must not make one step different from the next.
bool is_logging_read(const Schema& schema, const int64_t* values) {
  return schema.kind == Kind::copy && values[1] == static_cast<int64_t>(CopyDirection::device_to_host);
}

// A graph's nodes are timed where it is launched, a collective where the ranks meet (attend): until then all
// that can be told of it is how long it takes.
Span time_work(Kind kind, Stream& stream, uint32_t definition) {
  spend_call(kind);
  if (kind == Kind::graph) return {};
  return kind == Kind::collective ? foreseen(definition) : run_work(stream, definition);
}

}  // namespace

uint32_t submit_definition(Schema& schema, uint32_t definition, const int64_t* values, size_t count,
                           Stream& stream, uint64_t a, uint64_t b, const WorkKey& key, const char* name) {
  if (stream.capture) {
    Node* node = add_node(*stream.capture->graph, node_type(schema.kind), definition, stream.capture_tail);
    node->stream = stream.number;
    node->updates_weights = key.update != Update::none;
    node->effects = take_postponed(*stream.capture);
    node->activity = describe_activity(schema, values, count, stream, name);
    stream.capture_tail.assign(1, node->index);
    return 0;
  }
  note_submission(*stream.progress);
  append_event(definition, stream.number, a, b);
  Span span = virtual_clock ? time_work(schema.kind, stream, definition) : Span{};
  uint32_t correlation = report_activity(schema, values, count, stream, name, span);
  if (definition && !is_logging_read(schema, values)) observe_work(key);
  ask_for_place();
  return correlation;
}

uint32_t submit(Schema& schema, const int64_t* values, size_t count, Stream& stream, uint64_t a, uint64_t b,
                Blob blob) {
  uint32_t definition = definition_of(schema, values, count, blob, nullptr);
  uint32_t loose = schema.id.load(std::memory_order_relaxed);
  WorkKey key{mix(definition, 1), mix(loose, 2)};
  key.moves_data = schema.kind == Kind::copy || schema.kind == Kind::memset;
  key.amount = schema.kind == Kind::library || schema.kind == Kind::collective;
  submit_definition(schema, definition, values, count, stream, a, b, key, nullptr);
  return definition;
}

void submit(Schema& schema, Values values, Stream& stream, uint64_t a, uint64_t b, Blob blob) {
  submit(schema, values.begin(), values.size(), stream, a, b, blob);
}

int record_library_call(Schema& schema, Library library, void* handle, Values values) {
  Call call;
  Handle* found = find_handle(handle, library);
  if (!found) return not_initialized_status(library);
  submit(schema, values, stream_of(*found));
  return 0;
}

}  // namespace maya
