// CPU time of the program on one thread between its calls into the emulator. All of it is inline: it is asked
// several times in every launch.
#pragma once

#include <cstdint>

#include "clock.h"

namespace maya {

// Constant-initialised, so that it may be thread-local without a guard.
class ThreadClock {
 public:
  int depth = 0;  // nested Call scopes

  void start() { read_cpu_clock(); }

  // The outermost call begins: what came before it was the program's. Its CPU time is read now, not when
  // something is recorded: values may be computed before that, which is not the program's time.
  // `is_recorded`: whether anything will be.
  void enter(bool is_recorded) {
    entered_ns_ = monotonic_ns();
    bool is_read = is_recorded && gap_before(entered_ns_) >= kShortGapNs;
    entered_cpu_ns_ = is_read ? read_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
  }

  // The outermost call ends. Nanoseconds spent inside it, which are not the program's. In a long one the
  // thread may have been off the core, which must not be taken from the next gap.
  uint64_t leave() {
    left_ns_ = monotonic_ns();
    uint64_t spent = left_ns_ - entered_ns_;
    accounted_ns_ += spent;
    if (spent >= kShortGapNs) read_cpu_clock();
    return spent;
  }

  // When what is recorded now began: at the entry of the call around it, or at this moment.
  uint64_t moment() const { return depth ? entered_ns_ : monotonic_ns(); }

  // CPU time of the program between its previous call and `now`.
  uint64_t cpu_since_previous_call(uint64_t now) {
    uint64_t gap = gap_before(now);
    if (gap < kShortGapNs) {
      accounted_ns_ += gap;
      return gap;
    }
    uint64_t cpu = depth ? entered_cpu_ns_ : read_clock(CLOCK_THREAD_CPUTIME_ID);
    uint64_t since_base = cpu - cpu_base_ns_;
    uint64_t used = since_base > accounted_ns_ ? since_base - accounted_ns_ : 0;
    cpu_base_ns_ = cpu;
    accounted_ns_ = 0;
    return used < gap ? used : gap;
  }

  // What is recorded outside of any call takes no time.
  void left_at(uint64_t now) { left_ns_ = now; }

 private:
  // Reading a thread's CPU clock costs 0.7 us on a virtual machine, the monotonic clock 0.03 us. A gap
  // shorter than this is too short for the scheduler to have taken the core away, so it is CPU time as it
  // stands.
  static constexpr uint64_t kShortGapNs = 50000;

  uint64_t gap_before(uint64_t now) const { return left_ns_ && now > left_ns_ ? now - left_ns_ : 0; }

  void read_cpu_clock() {
    cpu_base_ns_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
    accounted_ns_ = 0;
  }

  uint64_t entered_ns_ = 0;      // outermost Call
  uint64_t entered_cpu_ns_ = 0;  // CPU clock then, where the gap before it was long
  uint64_t left_ns_ = 0;         // end of the previous call
  uint64_t cpu_base_ns_ = 0;     // CPU clock at its last reading
  uint64_t accounted_ns_ = 0;    // CPU time known to have passed since that reading
};

}  // namespace maya
