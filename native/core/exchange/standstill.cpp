#include "standstill.h"

#include <unistd.h>

#include "../../guard/descendants.h"
#include "../clock.h"
#include "peer_process.h"

namespace maya {
namespace {

constexpr uint64_t kShortestLook = 500u * 1000 * 1000;
constexpr uint64_t kIdleShare = 50;  // one part in so many of a CPU
constexpr uint64_t kIdleBytesPerSecond = 16 * 1024;

// What this process and all below it have done so far.
struct Effort {
  uint64_t cpu_ns = 0;
  uint64_t bytes = 0;
  uint64_t processes = 0;
};

Effort effort_so_far() {
  Effort effort{read_clock(CLOCK_PROCESS_CPUTIME_ID), process_bytes(getpid()), 0};
  for (pid_t pid : descendants()) {
    effort.cpu_ns += process_cpu_ns(pid);
    effort.bytes += process_bytes(pid);
    ++effort.processes;
  }
  return effort;
}

uint64_t growth(uint64_t from, uint64_t to) {
  return to > from ? to - from : 0;  // less where a child has ended
}

// Looking through /proc costs CPU time and reads: each look begins where the one before it has ended.
class Watch {
 public:
  bool long_enough() const { return monotonic_ns() - began_ns_ > kShortestLook; }
  bool saw_life() const {
    Effort now = effort_so_far();
    uint64_t watched = monotonic_ns() - began_ns_;
    return now.processes != before_.processes ||
           growth(before_.cpu_ns, now.cpu_ns) > watched / kIdleShare + looking_cpu_ns_ ||
           growth(before_.bytes, now.bytes) > watched / 1000000 * kIdleBytesPerSecond / 1000 + looking_bytes_;
  }
  void begin() {
    Effort first = effort_so_far();
    before_ = effort_so_far();
    looking_cpu_ns_ = growth(first.cpu_ns, before_.cpu_ns);
    looking_bytes_ = growth(first.bytes, before_.bytes);
    began_ns_ = monotonic_ns();
  }

 private:
  uint64_t began_ns_ = 0;
  Effort before_;
  uint64_t looking_cpu_ns_ = 0;
  uint64_t looking_bytes_ = 0;
};

}  // namespace

uint64_t standstill_since(bool anew) {
  static Watch watch;
  static uint64_t since = 0;
  if (!anew && !watch.long_enough()) return since;
  if (anew || watch.saw_life()) since = monotonic_ns();
  watch.begin();
  return since;
}

}  // namespace maya
