#include "session.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "listener.h"
#include "maya/runtime.h"

namespace maya::cupti {
namespace {

struct Session {
  // Recursive: a tool may ask about dropped records, or flush, while it is handed a buffer.
  std::recursive_mutex lock;
  BufferRequested requested = nullptr;
  BufferCompleted completed = nullptr;
  uint8_t* buffer = nullptr;
  size_t bytes = 0;
  size_t used = 0;
  size_t records = 0;
  size_t max_records = 0;
};

// Never destroyed: work may still be reported by threads that outlive the exit handlers.
Session& session() {
  static Session* instance = new Session;
  return *instance;
}

std::atomic<bool> enabled_kinds[kActivityKinds];
std::atomic<size_t> dropped{0};

std::vector<uint64_t>& external_ids(int kind) {
  thread_local std::vector<uint64_t> ids[kExternalKinds];
  return ids[kind];
}

bool has_room(const Session& s, size_t bytes) {
  return s.buffer && s.used + bytes <= s.bytes && (s.max_records == 0 || s.records < s.max_records);
}

}  // namespace

void register_buffer_callbacks(BufferRequested requested, BufferCompleted completed) {
  std::lock_guard<std::recursive_mutex> guard(session().lock);
  session().requested = requested;
  session().completed = completed;
}

bool enabled(int kind) {
  return enabled_kinds[kind].load(std::memory_order_relaxed);
}

void enable(int kind, bool on) {
  enabled_kinds[kind] = on;
  bool any = false;
  for (auto& one : enabled_kinds) any |= one.load();
  set_activity_listener(any ? on_activity : nullptr);
}

void disable_all() {
  for (int kind = 0; kind < kActivityKinds; ++kind) enabled_kinds[kind] = false;
  set_activity_listener(nullptr);
}

void write_record(const void* record, size_t bytes) {
  Session& s = session();
  std::lock_guard<std::recursive_mutex> guard(s.lock);
  if (!has_room(s, bytes)) {
    flush();
    if (s.requested && !s.buffer) s.requested(&s.buffer, &s.bytes, &s.max_records);
  }
  if (!has_room(s, bytes)) {
    ++dropped;
    return;
  }
  std::memcpy(s.buffer + s.used, record, bytes);
  s.used += bytes;
  ++s.records;
}

void flush() {
  Session& s = session();
  std::lock_guard<std::recursive_mutex> guard(s.lock);
  if (!s.buffer || !s.completed || s.used == 0) return;
  uint8_t* full = s.buffer;
  size_t used = s.used;
  s.buffer = nullptr;
  s.used = s.records = 0;
  s.completed(nullptr, 0, full, s.bytes, used);
}

size_t take_dropped() {
  return dropped.exchange(0);
}

bool push_external(int kind, uint64_t id) {
  if (kind < kFirstExternalKind || kind >= kExternalKinds) return false;
  external_ids(kind).push_back(id);
  return true;
}

bool top_external(int kind, uint64_t* id) {
  if (external_ids(kind).empty()) return false;
  *id = external_ids(kind).back();
  return true;
}

bool pop_external(int kind, uint64_t* id) {
  if (!top_external(kind, id)) return false;
  external_ids(kind).pop_back();
  return true;
}

}  // namespace maya::cupti
