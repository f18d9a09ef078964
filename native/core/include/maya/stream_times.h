// What a stream has to do in virtual time. All zero in a run with the real clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace maya {

class Meeting;

// When an event is over. Not known as long as the stream waits for other ranks.
struct Moment {
  static constexpr int64_t kUnknown = -1;
  std::atomic<int64_t> at_ns{kUnknown};

  bool known() const { return at_ns.load() != kUnknown; }
};
using MomentRef = std::shared_ptr<Moment>;

// Work of a stream that has to wait for other ranks, or stands behind such work.
struct PendingStep {
  std::function<bool()> take;        // gives it its time; false: that is not known yet
  std::shared_ptr<Meeting> meeting;  // of a collective: with the other ranks
};

struct StreamTimes {
  int64_t free_ns = 0;              // when all that it was given is done
  int64_t next_work_ns = 0;         // and when the next kernel may start
  int64_t busy_since_ns = 0;        // without a pause
  bool behind_event = false;        // the last that it was given is an event
  std::deque<int64_t> starts_ns;    // of the launches that the queue holds
  std::deque<PendingStep> pending;  // whose times are not known yet
  uint64_t given = 0, taken = 0;    // steps that were pending, and those of them that are not any more
};

}  // namespace maya
