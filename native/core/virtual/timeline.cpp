#include "virtual/timeline.h"

#include <map>
#include <mutex>

#include "virtual/clock_link.h"
#include "virtual/durations.h"

namespace maya {
namespace {

constexpr unsigned kNonBlocking = 1;

struct Timeline {
  std::mutex lock;  // of all that follows, and of the times of every stream
  std::map<int, DeviceClock> devices;

  DeviceClock& of(int device) { return devices.try_emplace(device, virtual_settings()).first->second; }
};

Timeline& timeline() {
  static Timeline* instance = new Timeline;
  return *instance;
}

StreamKind kind_of(Stream& stream) {
  if (&default_stream(stream.device) == &stream) return StreamKind::legacy;
  return stream.flags & kNonBlocking ? StreamKind::independent : StreamKind::blocking;
}

std::vector<GraphWork> work_of(const GraphExec& exec) {
  std::vector<GraphWork> nodes;
  AttentionLengths lengths = attention_lengths();
  for (const Node& node : exec.nodes) {
    int64_t ns = node.definition ? work_time(node.definition).for_lengths(lengths) : 0;
    nodes.push_back({ns, node.depends_on});
  }
  return nodes;
}

}  // namespace

Span run_work(Stream& stream, uint32_t definition) {
  WorkTime time = work_time(definition);
  StreamKind kind = kind_of(stream);
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  Span span;
  {
    std::lock_guard<std::mutex> guard(all.lock);
    DeviceClock& device = all.of(stream.device);
    now = device.room_ns(stream.progress->times, now);
    span = device.work(stream.progress->times, kind, now, time.for_lengths(attention_lengths()));
  }
  await_time(time.host_waits ? span.end_ns : now);
  return span;
}

std::vector<Span> run_graph(Stream& stream, const GraphExec& exec) {
  std::vector<GraphWork> nodes = work_of(exec);
  StreamKind kind = kind_of(stream);
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  std::vector<Span> spans;
  {
    std::lock_guard<std::mutex> guard(all.lock);
    DeviceClock& device = all.of(stream.device);
    now = device.room_ns(stream.progress->times, now);
    spans = device.graph(stream.progress->times, kind, now, nodes);
  }
  await_time(now);
  return spans;
}

int64_t run_event(Stream& stream) {
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  std::lock_guard<std::mutex> guard(all.lock);
  return all.of(stream.device).event(stream.progress->times, now);
}

void hold_stream(Stream& stream, int64_t until_ns) {
  Timeline& all = timeline();
  std::lock_guard<std::mutex> guard(all.lock);
  all.of(stream.device).hold(stream.progress->times, until_ns);
}

void await_time(int64_t at_ns) {
  virtual_clock->wait_until(at_ns);
}

void await_stream(Stream& stream) {
  Timeline& all = timeline();
  int64_t free_ns;
  {
    std::lock_guard<std::mutex> guard(all.lock);
    free_ns = stream.progress->times.free_ns;
  }
  await_time(free_ns);
}

void await_device(int device) {
  Timeline& all = timeline();
  int64_t free_ns;
  {
    std::lock_guard<std::mutex> guard(all.lock);
    free_ns = all.of(device).device().all_ns;
  }
  await_time(free_ns);
}

bool is_past(int64_t at_ns) {
  return virtual_clock->now_ns() >= at_ns;
}

bool is_free(Stream& stream) {
  Timeline& all = timeline();
  std::lock_guard<std::mutex> guard(all.lock);
  return is_past(stream.progress->times.free_ns);
}

}  // namespace maya
