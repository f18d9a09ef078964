#include "activity.h"

#include <atomic>

#include "clock.h"
#include "maya/runtime.h"
#include "virtual/clock_link.h"

namespace maya {
namespace {

std::atomic<ActivityListener> listener{nullptr};
std::atomic<uint32_t> correlation{0};
std::atomic<bool*> cycles_switch{nullptr};

void describe_kernel(Activity& activity, const int64_t* values) {
  for (int i = 0; i < 3; ++i) {
    activity.grid[i] = static_cast<unsigned>(values[1 + i]);
    activity.block[i] = static_cast<unsigned>(values[4 + i]);
  }
  activity.shared_dynamic = static_cast<unsigned>(values[7]);
}

}  // namespace

bool* kineto_cycles() {
  return cycles_switch.load();
}

void set_activity_listener(ActivityListener function) {
  listener = function;
}
bool activity_enabled() {
  return listener.load(std::memory_order_relaxed) != nullptr;
}
uint32_t next_correlation() {
  return ++correlation;
}

Activity describe_activity(const Schema& schema, const int64_t* values, size_t count, const Stream& stream,
                           const char* name) {
  Activity activity{};
  activity.kind = schema.kind;
  activity.name = name ? name : schema.name;
  activity.device = stream.device;
  activity.stream = stream.number;
  if (schema.kind == Kind::kernel && count >= 8) describe_kernel(activity, values);
  if (schema.kind == Kind::copy && count >= 2) {
    activity.bytes = static_cast<uint64_t>(values[0]);
    activity.direction = static_cast<int>(values[1]);
  }
  if (schema.kind == Kind::memset && count >= 2) {
    activity.bytes = static_cast<uint64_t>(values[0]);
    activity.value = static_cast<unsigned>(values[1]);
  }
  return activity;
}

namespace {
void tell_now(ActivityListener tell, Activity& activity, Span span) {
  if (virtual_clock) {
    activity.start_ns = virtual_clock->unix_ns(span.start_ns);
    activity.end_ns = virtual_clock->unix_ns(span.end_ns);
    activity.timed = true;
  } else {
    activity.start_ns = read_clock(CLOCK_REALTIME);
    activity.end_ns = activity.start_ns + 1000;  // nothing runs: every piece of work is shown as 1 us long
  }
  tell(activity);
}
}  // namespace

uint32_t report_activity(const Schema& schema, const int64_t* values, size_t count, const Stream& stream,
                         const char* name, Span span) {
  ActivityListener tell = listener.load(std::memory_order_relaxed);
  if (!tell) return 0;
  Activity activity = describe_activity(schema, values, count, stream, name);
  activity.correlation = next_correlation();
  tell_now(tell, activity, span);
  return activity.correlation;
}

void report_graph_work(Activity activity, uint32_t correlation, Span span) {
  ActivityListener tell = listener.load(std::memory_order_relaxed);
  if (!tell) return;
  activity.correlation = correlation;
  tell_now(tell, activity, span);
}

void report_wait(WaitKind kind, int device, uint16_t stream, uint64_t event) {
  ActivityListener tell = listener.load(std::memory_order_relaxed);
  if (!tell) return;
  Activity activity{};
  activity.kind = Kind::sync;
  activity.name = "synchronize";
  activity.device = device;
  activity.stream = stream;
  activity.wait = static_cast<int>(kind);
  activity.event = event;
  activity.correlation = next_correlation();
  int64_t now_ns = virtual_clock ? virtual_clock->now_ns() : 0;
  tell_now(tell, activity, {now_ns, now_ns});
}

}  // namespace maya

// Called from inside the program.
extern "C" MAYA_EXPORT void maya_count_nanoseconds(bool* cycles) {
  maya::cycles_switch = cycles;
}
