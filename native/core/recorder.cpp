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
#include <vector>

#include "capture_file.h"
#include "clock.h"
#include "deflate.h"
#include "hash.h"
#include "helper.h"
#include "id_table.h"
#include "maya/device.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "maya/stream.h"
#include "steps/held_core.h"
#include "steps/process.h"
#include "virtual/clock_link.h"
#include "virtual/durations.h"

namespace maya {
namespace {

constexpr uint32_t kEventsPerBlock = 256;
constexpr size_t kLongText = 2048;  // bytes: PTX, hardly ever a name
constexpr size_t kLongBlob = 64;    // bytes of a definition: arguments of a kernel
// Reading a thread's CPU clock costs 0.7 us on a virtual machine, the monotonic clock 0.03 us. A gap shorter
// than this is too short for the scheduler to have taken the core away, so it is CPU time as it stands.
constexpr uint64_t kShortGapNs = 50000;

struct EventRecord {
  uint32_t definition;
  uint16_t thread;
  uint16_t stream;
  uint64_t start_ns;
  uint32_t cpu_ns;
  uint32_t call_ns;
  uint64_t a;
  uint64_t b;
};
static_assert(sizeof(EventRecord) == 40, "the event's size is part of the format");

struct ThreadClock {
  uint16_t number = 0;
  int depth = 0;                // nested Call scopes
  uint64_t entered_ns = 0;      // outermost Call
  uint64_t entered_cpu_ns = 0;  // CPU clock then, where the gap before it was long
  uint64_t left_ns = 0;         // end of the previous call
  uint64_t cpu_base_ns = 0;     // CPU clock at its last reading
  uint64_t accounted_ns = 0;    // CPU time known to have passed since that reading
  EventRecord* open = nullptr;  // the event whose call_ns the outermost scope completes
};
thread_local ThreadClock thread_clock;

// Then no call reads the CPU clock, which only events need.
std::atomic<bool> paused{false};

enum class State { unopened, open, closed };

struct Recorder {
  std::mutex lock;
  State state = State::unopened;
  bool steps_seen = false;
  CaptureFile file;
  IdTable definitions;
  IdTable strings;
  uint32_t next_definition = 1;
  uint32_t next_string = 1;
  uint32_t next_schema = 1;
  uint16_t next_thread = 1;
  EventRecord* slots = nullptr;
  uint32_t used_slots = 0;
  uint64_t start_ns = 0;
};

// Never destroyed: libraries call us from their own destructors at exit.
Recorder& recorder() {
  static Recorder* instance = new Recorder;
  return *instance;
}

uint32_t saturate(uint64_t value) {
  return value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
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
  r.slots = nullptr;
  r.state = State::closed;
}

bool fail_disk(Recorder& r) {
  report_failure("the capture cannot grow");
  finish(r, EndReason::disk_full);
  return false;
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

uint32_t packed_string_id(Recorder& r, uint32_t& id, const char* text, size_t bytes) {
  std::vector<char> packed = deflate(text, bytes);
  uint32_t length = static_cast<uint32_t>(bytes);
  char* payload = r.file.append(BlockType::packed_string, sizeof id + sizeof length + packed.size());
  if (!payload) return fail_disk(r), 0;
  id = r.next_string++;
  std::memcpy(payload, &id, sizeof id);
  std::memcpy(payload + sizeof id, &length, sizeof length);
  std::memcpy(payload + sizeof id + sizeof length, packed.data(), packed.size());
  r.file.publish();
  return id;
}

uint32_t string_id(Recorder& r, const char* text, size_t bytes) {
  uint32_t& id = r.strings.slot(hash_bytes(text, bytes));
  if (id) return id;
  if (bytes >= kLongText) return packed_string_id(r, id, text, bytes);
  char* payload = r.file.append(BlockType::string, sizeof id + bytes);
  if (!payload) return fail_disk(r), 0;
  id = r.next_string++;
  std::memcpy(payload, &id, sizeof id);
  std::memcpy(payload + sizeof id, text, bytes);
  r.file.publish();
  return id;
}

uint32_t schema_id(Recorder& r, Schema& schema) {
  uint32_t id = schema.id.load(std::memory_order_relaxed);
  if (id) return id;
  uint32_t words[4 + 64];
  uint32_t count = schema.field_count < 64 ? schema.field_count : 64;
  words[1] = static_cast<uint32_t>(schema.kind);
  words[2] = string_id(r, schema.name, std::strlen(schema.name));
  words[3] = count;
  for (uint32_t i = 0; i < count; ++i) {
    words[4 + i] = string_id(r, schema.fields[i], std::strlen(schema.fields[i]));
  }
  if (r.state != State::open) return 0;
  words[0] = id = r.next_schema++;
  char* payload = r.file.append(BlockType::schema, (4 + count) * sizeof(uint32_t));
  if (!payload) return fail_disk(r), 0;
  std::memcpy(payload, words, (4 + count) * sizeof(uint32_t));
  r.file.publish();
  schema.id.store(id, std::memory_order_relaxed);
  return id;
}

// Arguments of kernels are structures full of zeros and repetitions. Empty where packing gains nothing.
std::vector<char> packed_blob(Blob blob) {
  if (blob.bytes < kLongBlob) return {};
  std::vector<char> packed = deflate(static_cast<const char*>(blob.data), blob.bytes);
  if (packed.size() >= blob.bytes) packed.clear();
  return packed;
}

uint64_t hash_content(const int64_t* values, size_t count, Blob blob) {
  uint64_t hash = hash_bytes(values, count * sizeof(int64_t));
  return blob.bytes ? hash_bytes(blob.data, blob.bytes, hash) : hash;
}

uint32_t define_locked(Recorder& r, Schema& schema, const int64_t* values, size_t count, Blob blob,
                       bool* created, const LateValue* late = nullptr, uint64_t content = 0) {
  uint32_t schema_number = schema_id(r, schema);
  if (!schema_number) return 0;
  if (!content) content = hash_content(values, count, blob);
  uint32_t& id = r.definitions.slot(mix(content, schema_number));
  if (created) *created = id == 0;
  if (id) return id;
  size_t values_bytes = count * sizeof(int64_t);
  size_t late_bytes = late ? sizeof(int64_t) : 0;
  uint32_t head[4] = {r.next_definition, schema_number, static_cast<uint32_t>(count + (late ? 1 : 0)),
                      static_cast<uint32_t>(blob.bytes)};
  std::vector<char> packed = packed_blob(blob);
  BlockType type = packed.empty() ? BlockType::definition : BlockType::packed_definition;
  if (!packed.empty()) blob = {packed.data(), packed.size()};
  char* payload = r.file.append(type, sizeof head + values_bytes + late_bytes + blob.bytes);
  if (!payload) return fail_disk(r), 0;
  std::memcpy(payload, head, sizeof head);
  payload += sizeof head;
  if (values_bytes) std::memcpy(payload, values, values_bytes);
  payload += values_bytes;
  int64_t last = late ? late->value() : 0;
  std::memcpy(payload, &last, late_bytes);
  if (blob.bytes) std::memcpy(payload + late_bytes, blob.data, blob.bytes);
  r.file.publish();
  id = r.next_definition++;
  return id;
}

// Only a definition, the first of the capture: it is no event of the program.
void describe_process(Recorder& r) {
  static const char* const fields[] = {"command:s", "older:s"};
  static Schema schema{"process", Kind::info, fields, 2};
  std::string command = command_line_of_this_process();
  std::string older;
  for (int pid : older_processes()) older += (older.empty() ? "" : ",") + std::to_string(pid);
  int64_t values[] = {string_id(r, command.data(), command.size()), string_id(r, older.data(), older.size())};
  define_locked(r, schema, values, 2, {}, nullptr);
}

void append_locked(Recorder& r, uint32_t definition, uint16_t stream, uint64_t a, uint64_t b);

void introduce_thread(Recorder& r, ThreadClock& clock) {
  join_held_core();
  clock.number = r.next_thread++;
  clock.cpu_base_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
  static const char* const fields[] = {"number", "name:s"};
  static Schema schema{"thread", Kind::thread, fields, 2};
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  int64_t values[] = {clock.number, string_id(r, name, std::strlen(name))};
  uint32_t definition = define_locked(r, schema, values, 2, {}, nullptr);
  if (definition) append_locked(r, definition, 0, 0, 0);
}

uint64_t gap_before(const ThreadClock& clock, uint64_t now) {
  return clock.left_ns && now > clock.left_ns ? now - clock.left_ns : 0;
}

// CPU time of the program on this thread between its previous call and `now`.
uint64_t cpu_since_previous_call(ThreadClock& clock, uint64_t now) {
  uint64_t gap = gap_before(clock, now);
  if (gap < kShortGapNs) {
    clock.accounted_ns += gap;
    return gap;
  }
  uint64_t cpu = clock.depth ? clock.entered_cpu_ns : read_clock(CLOCK_THREAD_CPUTIME_ID);
  uint64_t since_base = cpu - clock.cpu_base_ns;
  uint64_t used = since_base > clock.accounted_ns ? since_base - clock.accounted_ns : 0;
  clock.cpu_base_ns = cpu;
  clock.accounted_ns = 0;
  return used < gap ? used : gap;
}

// Time inside a call. A long one may have been off the core, which must not be taken from the next gap.
void account(ThreadClock& clock, uint64_t spent) {
  clock.accounted_ns += spent;
  if (spent < kShortGapNs) return;
  clock.cpu_base_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
  clock.accounted_ns = 0;
}

void append_locked(Recorder& r, uint32_t definition, uint16_t stream, uint64_t a, uint64_t b) {
  ThreadClock& clock = thread_clock;
  if (!clock.number) introduce_thread(r, clock);
  if (r.state != State::open) return;
  if (!r.slots || r.used_slots == kEventsPerBlock) {
    r.slots = reinterpret_cast<EventRecord*>(
        r.file.append(BlockType::events, kEventsPerBlock * sizeof(EventRecord)));
    r.used_slots = 0;
    if (!r.slots) {
      fail_disk(r);
      return;
    }
    r.file.publish();  // empty: each event tells by itself whether it is there
  }
  uint64_t start = clock.depth ? clock.entered_ns : monotonic_ns();
  uint64_t cpu = clock.open ? 0 : cpu_since_previous_call(clock, start);
  if (virtual_clock && !clock.open) settle_call(definition);
  EventRecord& event = r.slots[r.used_slots++];
  event.thread = clock.number;
  event.stream = stream;
  event.start_ns = start > r.start_ns ? start - r.start_ns : 0;
  event.cpu_ns = saturate(cpu);
  event.call_ns = 0;
  event.a = a;
  event.b = b;
  // Stored last: a reader of a capture cut off here sees either the whole event or none.
  __atomic_store_n(&event.definition, definition, __ATOMIC_RELEASE);
  if (clock.depth) {
    clock.open = &event;
  } else {
    clock.left_ns = start;
  }
}

}  // namespace

Call::Call() {
  ThreadClock& clock = thread_clock;
  if (clock.depth++ == 0) {
    if (virtual_clock) virtual_clock->enter();
    clock.entered_ns = monotonic_ns();
    // Not when the event is recorded: values may be computed before that, which is not the program's time.
    bool is_long = !paused && gap_before(clock, clock.entered_ns) >= kShortGapNs;
    clock.entered_cpu_ns = is_long ? read_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
    clock.open = nullptr;
  }
}

Call::~Call() {
  ThreadClock& clock = thread_clock;
  if (--clock.depth > 0) return;
  if (virtual_clock) virtual_clock->leave();
  if (!clock.open) return;  // nothing was recorded: the time goes to the next gap
  uint64_t now = monotonic_ns();
  uint64_t spent = now - clock.entered_ns;
  account(clock, spent);
  clock.left_ns = now;
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  if (r.state == State::open) clock.open->call_ns = saturate(spent);
  clock.open = nullptr;
}

bool recording() {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  return ready(r);
}

int64_t intern(const char* text) {
  Recorder& r = recorder();
  std::lock_guard<std::mutex> guard(r.lock);
  return ready(r) ? string_id(r, text, std::strlen(text)) : 0;
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
    uint32_t definition = define_locked(r, schema, values.begin(), values.size(), {}, nullptr);
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
