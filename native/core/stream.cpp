#include "maya/stream.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "activity.h"
#include "clock.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/graph.h"
#include "recorder.h"
#include "registry.h"
#include "steps/process.h"
#include "virtual/clock_link.h"
#include "virtual/timeline.h"

namespace maya {
namespace {

struct Streams {
  Registry<Stream> registry;
  std::mutex lock;
  std::map<int, Stream*> defaults;
  std::vector<uint16_t> free_numbers;
  uint16_t next_number = 1;
  uint64_t next_id = 1;
};

Streams& streams() {
  static Streams* instance = new Streams;
  return *instance;
}

Registry<Event>& events() {
  static auto* instance = new Registry<Event>;
  return *instance;
}

std::atomic<uint64_t> next_event{1};

void note_stream(const char* what, const Stream& stream) {
  static const char* const fields[] = {"what:s", "device", "priority", "flags"};
  static Schema schema{"stream", Kind::stream, fields, 4};
  note(schema, {intern(what), stream.device, stream.priority, stream.flags}, stream.number);
}

Stream* make_stream(const char* what, int device, unsigned flags, int priority) {
  Streams& all = streams();
  auto stream = std::make_unique<Stream>();
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  stream->progress = std::make_shared<Progress>(device);
  stream->context = owning_context(device);
  {
    std::lock_guard<std::mutex> guard(all.lock);
    stream->id = all.next_id++;
    if (all.free_numbers.empty()) {
      stream->number = all.next_number++;
    } else {
      stream->number = all.free_numbers.back();
      all.free_numbers.pop_back();
    }
  }
  note_stream(what, *stream);
  return all.registry.add(std::move(stream));
}

Stream& per_thread_stream() {
  thread_local std::map<int, Stream*> own;
  Stream*& stream = own[current_device()];
  if (!stream) stream = make_stream("per_thread", current_device(), 0, 0);
  return *stream;
}

Schema& sync_schema() {
  static const char* const fields[] = {"what:s", "device"};
  static Schema schema{"synchronize", Kind::sync, fields, 2};
  return schema;
}

void note_sync(const char* what, int device, uint16_t stream, uint64_t a = 0, uint64_t b = 0) {
  note(sync_schema(), {intern(what), device}, stream, a, b);
}

}  // namespace

uint64_t now_ns() {
  return monotonic_ns();
}

Stream& default_stream(int device) {
  // Read on every launch; the map is only written the first time a device is used by a thread.
  thread_local std::map<int, Stream*> seen;
  Stream*& cached = seen[device];
  if (cached) return *cached;
  ensure_context(device);
  Streams& all = streams();
  {
    std::lock_guard<std::mutex> guard(all.lock);
    cached = all.defaults[device];
  }
  if (cached) return *cached;
  Stream* made = make_stream("default", device, 0, 0);
  std::lock_guard<std::mutex> guard(all.lock);
  Stream*& shared = all.defaults[device];
  if (!shared) shared = made;
  cached = shared;
  return *shared;
}

Stream* find_stream(void* handle, bool per_thread) {
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value == 2 || (value == 0 && per_thread)) return &per_thread_stream();
  if (value <= 1) return &default_stream(current_device());
  return streams().registry.find(handle);
}

void* create_stream(int device, unsigned flags, int priority) {
  ensure_context(device);
  Stream* stream = make_stream("create", device, flags, priority);
  stream->made_by_program = true;
  return stream;
}

bool destroy_stream(void* handle) {
  Streams& all = streams();
  std::unique_ptr<Stream> stream = all.registry.remove(handle);
  if (!stream) return false;
  note_stream("destroy", *stream);
  std::lock_guard<std::mutex> guard(all.lock);
  all.free_numbers.push_back(stream->number);
  return true;
}

void release_context_streams(int device, uint64_t context) {
  auto belongs = [&](const auto& object) { return object.device == device && object.context == context; };
  for (Event* event : events().select(belongs)) destroy_event(event);
  Streams& all = streams();
  std::vector<Stream*> made = all.registry.select(
      [&](const Stream& stream) { return belongs(stream) && stream.made_by_program && !stream.capture; });
  for (Stream* stream : made) destroy_stream(stream);
}

Event* find_event(void* handle) {
  return events().find(handle);
}

void* create_event(int device, unsigned flags) {
  auto event = std::make_unique<Event>();
  event->number = next_event++;
  event->flags = flags;
  event->device = device;
  event->context = owning_context(device);
  return events().add(std::move(event));
}

bool destroy_event(void* handle) {
  return events().remove(handle) != nullptr;
}

void record_event(Event& event, Stream& stream) {
  event.capture = stream.capture;
  if (stream.capture) {
    event.capture_nodes = stream.capture_tail;
    return;
  }
  static const char* const fields[] = {"flags"};
  static Schema schema{"event_record", Kind::event_record, fields, 1};
  event.version++;
  event.recorded = true;
  event.moment = nullptr;
  if (virtual_clock) {
    run_event(stream, event);
  } else {
    event.time_ns = monotonic_ns();
  }
  event.point = point_at_end(stream.progress);
  note(schema, {event.flags}, stream.number, event.number, event.version);
}

bool wait_event(Stream& stream, Event& event) {
  if (event.capture) return join_capture(stream, event);
  if (stream.capture) return !event.recorded;  // work outside the capture cannot be waited for inside it
  if (!event.recorded) return true;            // an event never recorded is complete
  static Schema schema{"event_wait", Kind::event_wait, nullptr, 0};
  note_wait(*stream.progress, event.point);
  if (virtual_clock) hold_stream(stream, event);
  report_wait(WaitKind::stream_for_event, stream.device, stream.number, event.number);
  note(schema, {}, stream.number, event.number, event.version);
  return true;
}

bool synchronize_device(int device) {
  if (capture_forbids_unsafe_calls()) return false;
  note_sync("device", device, 0);
  if (virtual_clock) await_device(device);
  report_wait(WaitKind::context, device, 0, 0);
  complete_device(device);
  observe_wait();
  return true;
}

bool synchronize_stream(Stream& stream) {
  if (stream.capture) return false;
  note_sync("stream", stream.device, stream.number);
  if (virtual_clock) await_stream(stream);
  report_wait(WaitKind::stream, stream.device, stream.number, 0);
  complete_stream(stream.progress);
  observe_wait();
  return true;
}

void synchronize_event(Event& event) {
  if (!event.recorded) return;
  note_sync("event", event.device, 0, event.number, event.version);
  if (virtual_clock) await_event(event);
  report_wait(WaitKind::event, event.device, 0, event.number);
  complete(event.point);
  observe_wait();
}

namespace {

// With the virtual clock work is done when its time has come. A poll takes time, so that a loop of them ends.
bool asked_in_time(Stream& stream) {
  spend_call(Kind::sync);
  if (!is_free(stream)) return false;
  complete_stream(stream.progress);
  return true;
}

bool asked_in_time(Event& event) {
  spend_call(Kind::sync);
  if (!is_past(event)) return false;
  complete(event.point);
  return true;
}

}  // namespace

// Only the poll that succeeds is recorded: from the others a program learns nothing, and watchdogs poll on.
Answer query_stream(Stream& stream) {
  if (stream.capture) return Answer::capturing;
  if (!(virtual_clock ? asked_in_time(stream) : poll_stream(*stream.progress))) return Answer::pending;
  note_sync("query", stream.device, stream.number);
  return Answer::done;
}

Answer query_event(Event& event) {
  if (event.capture) return Answer::capturing;
  if (!event.recorded) return Answer::done;
  if (!(virtual_clock ? asked_in_time(event) : poll(event.point))) return Answer::pending;
  note_sync("event_query", event.device, 0, event.number, event.version);
  return Answer::done;
}

bool time_known(Event& start, Event& end) {
  if (virtual_clock) return is_past(start) && is_past(end);
  return !surely_pending(start.point) && !surely_pending(end.point);
}

void host_callback(Stream& stream, void (*function)(void*), void* user_data) {
  static Schema schema{"host_call", Kind::host_call, nullptr, 0};
  CaptureSession* session = stream.capture;
  submit(schema, {}, stream);
  if (!session) {
    complete_stream(stream.progress);  // what the callback may rely on
    function(user_data);
  } else {
    keep_host_function(*session->graph->nodes.back(), function, user_data);
  }
}

}  // namespace maya
