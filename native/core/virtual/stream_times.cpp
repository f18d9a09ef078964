#include "virtual/stream_times.h"

#include <algorithm>

namespace maya {
namespace {

// Two events with nothing between them are not at the same time: programs divide by the difference.
constexpr int64_t kEventNs = 500;

}  // namespace

int64_t DeviceClock::room_ns(StreamTimes& stream, int64_t now_ns) const {
  if (stream.starts_ns.size() < settings_.queue_limit) return now_ns;
  int64_t room = std::max(now_ns, stream.starts_ns.front());
  stream.starts_ns.pop_front();
  return room;
}

int64_t DeviceClock::begin(StreamTimes& stream, StreamKind kind, int64_t now_ns) {
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

Span DeviceClock::work(StreamTimes& stream, StreamKind kind, int64_t now_ns, int64_t duration_ns) {
  Span span{begin(stream, kind, now_ns), 0};
  span.end_ns = span.start_ns + duration_ns;
  stream.starts_ns.push_back(span.start_ns);
  end(stream, kind, span.end_ns);
  return span;
}

std::vector<Span> DeviceClock::graph(StreamTimes& stream, StreamKind kind, int64_t now_ns,
                                     const std::vector<GraphWork>& nodes) {
  int64_t start = begin(stream, kind, now_ns), last = start;
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
