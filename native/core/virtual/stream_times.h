// The rules by which streams of one device take turns in virtual time. Knows nothing of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "maya/stream_times.h"
#include "virtual/settings.h"

namespace maya {

struct Span {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

enum class StreamKind { legacy, blocking, independent };  // of the legacy default stream

// A piece of work: how long it takes alone, and how much of the device it fills.
struct Work {
  int64_t duration_ns = 0;
  double share = 0;
};

struct DeviceTimes {
  int64_t legacy_ns = 0;    // when the legacy stream is free
  int64_t blocking_ns = 0;  // when all streams are that wait for it
  int64_t all_ns = 0;       // when the device is
};

// One piece of work, or the nodes of a graph with the indices of those that each waits for.
struct GraphWork {
  int64_t duration_ns = 0;
  std::vector<size_t> depends_on;
};

class DeviceClock {
 public:
  explicit DeviceClock(const VirtualSettings& settings) : settings_(settings) {}

  // Until when the host must wait for a place in the queue.
  int64_t room_ns(StreamTimes& stream, int64_t now_ns) const;
  Span work(StreamTimes& stream, StreamKind kind, int64_t now_ns, Work work);
  std::vector<Span> graph(StreamTimes& stream, StreamKind kind, int64_t now_ns, int64_t others_ns,
                          const std::vector<GraphWork>& nodes);
  // When the stream comes to work that it is given now.
  int64_t arrival(const StreamTimes& stream, StreamKind kind, int64_t now_ns) const;
  // A collective, which begins once `others_ns` has come, too. It takes part of the device from kernels that
  // run meanwhile: from those that come later, and, as it may become known late, from those that were given
  // their time already.
  Span meet(StreamTimes& stream, StreamKind kind, int64_t now_ns, int64_t others_ns, int64_t duration_ns);
  int64_t event(StreamTimes& stream, int64_t now_ns);
  void hold(StreamTimes& stream, int64_t until_ns);

  const DeviceTimes& device() const { return device_; }
  // A stream whose work was given its time before the last transfer was known.
  void slow_down(StreamTimes& stream);

 private:
  Span run(StreamTimes& stream, StreamKind kind, int64_t start_ns, int64_t end_ns);
  void end(StreamTimes& stream, StreamKind kind, int64_t at_ns);
  int64_t end_beside_transfers(int64_t start_ns, Work work) const;
  double rate_beside(double share) const;

  const VirtualSettings& settings_;
  DeviceTimes device_;
  std::deque<Span> transfers_;  // the last ones, in the order in which they became known
};

}  // namespace maya
