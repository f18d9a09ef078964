#include "virtual/stream_times.h"

#include <algorithm>
#include <cmath>

namespace maya {
namespace {

// Two events with nothing between them are not at the same time: programs divide by the difference.
constexpr int64_t kEventNs = 500;
constexpr size_t kTransfersKept = 64;

}  // namespace

int64_t DeviceClock::room_ns(StreamTimes& stream, int64_t now_ns) const {
  int64_t room = now_ns;
  while (stream.starts_ns.size() >= settings_.queue_limit) {
    room = std::max(room, stream.starts_ns.front());
    stream.starts_ns.pop_front();
  }
  return room;
}

int64_t DeviceClock::arrival(const StreamTimes& stream, StreamKind kind, int64_t now_ns) const {
  int64_t others = kind == StreamKind::legacy     ? device_.blocking_ns
                   : kind == StreamKind::blocking ? device_.legacy_ns
                                                  : 0;
  return std::max({stream.free_ns, stream.next_work_ns, others, now_ns + settings_.launch_latency_ns});
}

void DeviceClock::end(StreamTimes& stream, StreamKind kind, int64_t at_ns) {
  stream.free_ns = at_ns;
  stream.next_work_ns = at_ns + settings_.gap_ns;
  stream.behind_event = false;
  device_.all_ns = std::max(device_.all_ns, at_ns);
  if (kind == StreamKind::legacy) device_.legacy_ns = std::max(device_.legacy_ns, at_ns);
  if (kind == StreamKind::blocking) device_.blocking_ns = std::max(device_.blocking_ns, at_ns);
}

Span DeviceClock::work(StreamTimes& stream, StreamKind kind, int64_t now_ns, Work work) {
  int64_t start = arrival(stream, kind, now_ns);
  return run(stream, kind, start, end_beside_transfers(start, work));
}

Span DeviceClock::meet(StreamTimes& stream, StreamKind kind, int64_t now_ns, int64_t others_ns,
                       int64_t duration_ns) {
  int64_t start = std::max(arrival(stream, kind, now_ns), others_ns);
  Span span = run(stream, kind, start, start + duration_ns);
  transfers_.push_back(span);
  if (transfers_.size() > kTransfersKept) transfers_.pop_front();
  return span;
}

Span DeviceClock::run(StreamTimes& stream, StreamKind kind, int64_t start_ns, int64_t end_ns) {
  if (start_ns > stream.next_work_ns) stream.busy_since_ns = start_ns;
  stream.starts_ns.push_back(start_ns);
  end(stream, kind, end_ns);
  return {start_ns, end_ns};
}

// As in the engine (native/engine/device.cpp): what fills less than is left is not slowed down.
double DeviceClock::rate_beside(double share) const {
  double left = 1 - static_cast<double>(settings_.comm_share) / 1024;
  return share > left ? left / share : 1;
}

int64_t DeviceClock::end_beside_transfers(int64_t start_ns, Work work) const {
  double rate = rate_beside(work.share);
  auto left = static_cast<double>(work.duration_ns);
  int64_t at = start_ns;
  for (const Span& beside : transfers_) {
    if (rate >= 1 || beside.end_ns <= at) continue;
    auto before = static_cast<double>(std::max<int64_t>(0, beside.start_ns - at));
    if (left <= before) break;
    at = std::max(at, beside.start_ns);
    double done = std::min(left - before, rate * static_cast<double>(beside.end_ns - at));
    left -= before + done;
    at += std::llround(done / rate);
  }
  return at + std::llround(left);
}

void DeviceClock::slow_down(StreamTimes& stream) {
  const Span& beside = transfers_.back();
  int64_t both = std::min(stream.free_ns, beside.end_ns) - std::max(stream.busy_since_ns, beside.start_ns);
  if (both <= 0) return;
  int64_t later = std::llround(static_cast<double>(both) * (1 / rate_beside(1) - 1));
  stream.next_work_ns += later;
  hold(stream, stream.free_ns + later);
}

std::vector<Span> DeviceClock::graph(StreamTimes& stream, StreamKind kind, int64_t now_ns, int64_t others_ns,
                                     const std::vector<GraphWork>& nodes) {
  int64_t start = std::max(arrival(stream, kind, now_ns), others_ns), last = start;
  stream.starts_ns.push_back(start);
  std::vector<Span> spans;
  for (const GraphWork& node : nodes) {
    Span span{start, 0};
    for (size_t index : node.depends_on) {
      int64_t gap = node.duration_ns ? settings_.gap_ns : 0;
      if (index < spans.size()) span.start_ns = std::max(span.start_ns, spans[index].end_ns + gap);
    }
    span.end_ns = span.start_ns + node.duration_ns;
    last = std::max(last, span.end_ns);
    spans.push_back(span);
  }
  end(stream, kind, last);
  return spans;
}

int64_t DeviceClock::event(StreamTimes& stream, int64_t now_ns) {
  int64_t at = std::max(stream.free_ns, now_ns + settings_.launch_latency_ns);
  if (stream.behind_event) at += kEventNs;
  stream.behind_event = true;
  hold(stream, at);
  return at;
}

void DeviceClock::hold(StreamTimes& stream, int64_t until_ns) {
  stream.free_ns = std::max(stream.free_ns, until_ns);
  device_.all_ns = std::max(device_.all_ns, stream.free_ns);
}

}  // namespace maya
