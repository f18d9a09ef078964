#include "recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "capture_file.h"
#include "clock.h"
#include "definition_writer.h"
#include "event_writer.h"
#include "helper.h"
#include "maya/device.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "maya/stream.h"
#include "steps/held_core.h"
#include "steps/process.h"
#include "thread_clock.h"
#include "virtual/clock_link.h"
#include "virtual/durations.h"

namespace maya {
namespace {

struct RecordedThread {
  uint16_t number = 0;  // in the capture; 0 until it records something
  ThreadClock clock;
  EventRecord* open = nullptr;  // the event whose call_ns the outermost scope completes
};
thread_local RecordedThread this_thread;

// Then no call reads the CPU clock, which only events need.
std::atomic<bool> paused{false};

enum class State { unopened, open, closed };

struct Recorder {
  std::mutex lock;
  State state = State::unopened;
  bool steps_seen = false;
  CaptureFile file;
  DefinitionWriter definitions{file};
  EventWriter events{file};
  uint16_t next_thread = 1;
  uint64_t start_ns = 0;
};

// Never destroyed: libraries call us from their own destructors at exit.
Recorder& recorder() {
  static Recorder* instance = new Recorder;
  return *instance;
}

void report_failure(const char* what) {
  std::string message = std::string(what) + ": " + std::strerror(errno);
  std::fprintf(stderr, "maya: %s\n", message.c_str());
  std::string path = run_files::path(run_files::kError);
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fputs(message.c_str(), file);
    std::fclose(file);
  }
}

void finish(Recorder& r, EndReason reason) {
  uint32_t value = static_cast<uint32_t>(reason);
  if (char* end = r.file.append(BlockType::end, sizeof value)) {
    std::memcpy(end, &value, sizeof value);
    r.file.publish();
  }
  r.file.close();
  r.state = State::closed;
}

void fail_disk(Recorder& r) {
  report_failure("the capture cannot grow");
  finish(r, EndReason::disk_full);
}

void describe_process(Recorder& r);

bool open_capture(Recorder& r) {
  if (config().run_dir.empty() || !config().record || !usable_in_this_process()) {
    r.state = State::closed;
    return false;
  }
  std::string path = run_files::path(capture_name(config().rank, getpid()));
  if (!r.file.create(path, config().rank, config().world_size, device_count())) {
    report_failure("cannot write a capture");
    r.state = State::closed;
    return false;
  }
  if (virtual_clock && !open_durations(path)) report_failure("cannot ask for durations");
  r.start_ns = monotonic_ns();
  r.state = State::open;
  describe_process(r);
  return r.state == State::open;
}

bool ready(Recorder& r) {
  if (paused) return false;
  if (r.state == State::open) return true;
  return r.state == State::unopened && open_capture(r);
}

uint32_t text_locked(Recorder& r, const char* text, size_t bytes) {
  uint32_t id = r.definitions.text(text, bytes);
  if (!id) fail_disk(r);
  return id;
}

uint32_t define_locked(Recorder& r, Schema& schema, const int64_t* values, size_t count, Blob blob,
                       bool* created = nullptr, const LateValue* late = nullptr, uint64_t content = 0) {
  uint32_t id = r.definitions.define(schema, values, count, blob, created, late, content);
  if (!id) fail_disk(r);
  return id;
}

// Only a definition, the first of the capture: it is no event of the program.
void describe_process(Recorder& r) {
  static const char* const fields[] = {"command:s", "older:s"};
  static Schema schema{"process", Kind::info, fields, 2};
  std::string command = command_line_of_this_process();
  std::string older;
  for (int pid : older_processes()) older += (older.empty() ? "" : ",") + std::to_string(pid);
  uint32_t command_text = text_locked(r, command.data(), command.size());
  if (r.state != State::open) return;
  uint32_t older_text = text_locked(r, older.data(), older.size());
  if (r.state != State::open) return;
  int64_t values[] = {command_text, older_text};
  define_locked(r, schema, values, 2, {});
}

void append_locked(Recorder& r, uint32_t definition, uint16_t stream, uint64_t a, uint64_t b);

void introduce_thread(Recorder& r, RecordedThread& thread) {
  join_held_core();
  thread.number = r.next_thread++;
  thread.clock.start();
  static const char* const fields[] = {"number", "name:s"};
  static Schema schema{"thread", Kind::thread, fields, 2};
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  uint32_t name_text = text_locked(r, name, std::strlen(name));
  if (r.state != State::open) return;
  int64_t values[] = {thread.number, name_text};
  uint32_t definition = define_locked(r, schema, values, 2, {});
  if (definition) append_locked(r, definition, 0, 0, 0);
}

void append_locked(Recorder& r, uint32_t definition, uint16_t stream, uint64_t a, uint64_t b) {
  RecordedThread& thread = this_thread;
  if (!thread.number) introduce_thread(r, thread);
  if (r.state != State::open) return;
  EventRecord* event = r.events.next();
  if (!event) return fail_disk(r);
  uint64_t start = thread.clock.moment();
  uint64_t cpu = thread.open ? 0 : thread.clock.cpu_since_previous_call(start);
  if (virtual_clock && !thread.open) settle_call(definition);
  event->thread = thread.number;
  event->stream = stream;
  event->start_ns = start > r.start_ns ? start - r.start_ns : 0;
  event->cpu_ns = saturate(cpu);
  event->a = a;
  event->b = b;
  EventWriter::finish(*event, definition);
  if (thread.clock.depth) {
    thread.open = event;
  } else {
    thread.clock.left_at(start);
  }
}

}  // namespace

Call::Call() {
  RecordedThread& thread = this_thread;
  if (thread.clock.depth++ > 0) return;
  if (virtual_clock) virtual_clock->enter();
  thread.clock.enter(!paused);
  thread.open = nullptr;
}

Call::~Call() {
  RecordedThread& thread = this_thread;
  if (--thread.clock.depth > 0) return;
  if (virtual_clock) virtual_clock->leave();
  if (!thread.open) return;  // nothing was recorded: the time goes to the next gap
  uint64_t spent = thread.clock.leave();
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  if (r.state == State::open) thread.open->call_ns = saturate(spent);
  thread.open = nullptr;
}

bool recording() {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  return ready(r);
}

int64_t intern(const char* text) {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  return ready(r) ? text_locked(r, text, std::strlen(text)) : 0;
}

uint32_t definition_of(Schema& schema, const int64_t* values, size_t count, Blob blob, bool* created,
                       const LateValue* late, uint64_t content) {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  if (created) *created = false;
  return ready(r) ? define_locked(r, schema, values, count, blob, created, late, content) : 0;
}

uint32_t define(Schema& schema, const int64_t* values, size_t count, Blob blob) {
  return definition_of(schema, values, count, blob, nullptr);
}

void append_event(uint32_t definition, uint16_t stream, uint64_t a, uint64_t b) {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  if (definition && ready(r)) append_locked(r, definition, stream, a, b);
}

void note(Schema& schema, Values values, uint16_t stream_number, uint64_t a, uint64_t b) {
  {
    Recorder& r = recorder();
    std::lock_guard<std::mutex> guard(r.lock);
    if (!ready(r)) return;
    uint32_t definition = define_locked(r, schema, values.begin(), values.size(), {});
    if (definition) append_locked(r, definition, stream_number, a, b);
  }
  if (virtual_clock) spend_call(schema.kind);
}

void inform(const char* text) {
  static const char* const fields[] = {"text:s"};
  static Schema schema{"info", Kind::info, fields, 1};
  int64_t value = intern(text);
  bool created = false;
  uint32_t definition = definition_of(schema, &value, 1, {}, &created);
  if (created) append_event(definition, 0, 0, 0);
}

void close_recorder(EndReason reason) {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  if (r.state == State::open) finish(r, reason);
  r.state = State::closed;
}

void mark_steps_seen() {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  r.steps_seen = true;
  r.file.mark_steps();
}

bool steps_seen() {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  return r.steps_seen;
}

void pause_recorder(bool pause) {
  paused = pause;
}

void abandon_recorder() {
  // The lock may be held by a thread that does not exist in the child: start it anew.
  Recorder& r = recorder();
  new (&r.lock) std::mutex;
  r.state = State::closed;
}

namespace {
__attribute__((destructor)) void close_at_exit() {
  if (!usable_in_this_process()) return;
  conclude_steps();
  close_recorder(EndReason::exit);
}
}  // namespace

}  // namespace maya

// Called from inside the program.
extern "C" MAYA_EXPORT void maya_inform(const char* text) {
  maya::Call entered;
  maya::inform(text);
}
