#include "thread_time.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "host_gaps.h"
#include "real.h"

namespace maya::clock {
namespace {

// Reading a thread's CPU clock costs a system call. A gap shorter than this is too short for the scheduler to
// have taken the core away, so it is CPU time as it stands.
constexpr uint64_t kShortGapNs = 50'000;

struct ThreadTime {
  bool known = false;
  int depth = 0;              // inside the emulator
  int64_t base_ns = 0;        // virtual time up to which all is settled
  int64_t gap_ns = 0;         // CPU time since, as measured
  int64_t resumed_ns = 0;     // where a thread that was blocked went on, since
  int64_t shown_ns = 0;       // what the program has seen
  uint64_t seen_real_ns = 0;  // up to where CPU time has been measured
  uint64_t seen_cpu_ns = 0;   // CPU clock at its last reading
  uint64_t accounted_ns = 0;  // CPU time known to have passed since that reading
  long waits = 0;             // how often the thread had given up its core by itself

  int64_t now_ns() const { return std::max({base_ns + gap_ns, resumed_ns, shown_ns}); }
};
thread_local ThreadTime self;

// CPU time of the target's host over that of this machine.
double pace() {
  static const double value = [] {
    const char* text = std::getenv("MAYA_CLOCK_PACE");
    double given = text ? std::atof(text) : 1.0;
    return given > 0 ? given : 1.0;
  }();
  return value;
}

long waits_so_far() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

void look_at_cpu(ThreadTime& thread) {
  thread.seen_cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  thread.accounted_ns = 0;
  thread.waits = waits_so_far();
}

void introduce(ThreadTime& thread, Page& page) {
  static const bool forks = pthread_atfork(nullptr, nullptr, [] { self.known = false; }) == 0;
  (void)forks;
  thread.known = true;
  thread.base_ns = page.furthest_ns.load();
  thread.gap_ns = thread.resumed_ns = thread.shown_ns = 0;
  thread.seen_real_ns = real_ns(CLOCK_MONOTONIC);
  look_at_cpu(thread);
}

uint64_t cpu_since_reading(ThreadTime& thread) {
  uint64_t used = real_ns(CLOCK_THREAD_CPUTIME_ID) - thread.seen_cpu_ns;
  return used > thread.accounted_ns ? used - thread.accounted_ns : 0;
}

// Measures the CPU time that the thread has used since.
void catch_up(ThreadTime& thread, const Page& page) {
  uint64_t real = real_ns(CLOCK_MONOTONIC), gap = real - thread.seen_real_ns;
  thread.seen_real_ns = real;
  bool blocked = false;
  if (gap < kShortGapNs) {
    thread.accounted_ns += gap;
  } else {
    gap = std::min(gap, cpu_since_reading(thread));
    long before = thread.waits;
    look_at_cpu(thread);
    blocked = thread.waits != before;
  }
  thread.gap_ns += at_pace(gap);
  if (blocked) thread.resumed_ns = std::max(thread.resumed_ns, page.furthest_ns.load());
}

void move_to(ThreadTime& thread, Page& page, int64_t at_ns) {
  thread.base_ns = std::max(thread.now_ns(), at_ns);
  thread.gap_ns = 0;
  publish(page, thread.base_ns);
}

ThreadTime& this_thread(Page& page) {
  if (!self.known) introduce(self, page);
  return self;
}

}  // namespace

int64_t at_pace(uint64_t cpu_ns) {
  return static_cast<int64_t>(static_cast<double>(cpu_ns) * pace());
}

int64_t now_ns(Page& page) {
  ThreadTime& thread = this_thread(page);
  if (thread.depth) return thread.now_ns();
  catch_up(thread, page);
  thread.shown_ns = thread.now_ns();
  publish(page, thread.shown_ns);
  return thread.shown_ns;
}

void enter(Page& page) {
  ThreadTime& thread = this_thread(page);
  if (thread.depth++ == 0) catch_up(thread, page);
}

void leave(Page& page) {
  ThreadTime& thread = this_thread(page);
  if (thread.depth == 0 || --thread.depth > 0) return;
  uint64_t real = real_ns(CLOCK_MONOTONIC), spent = real - thread.seen_real_ns;
  thread.seen_real_ns = real;
  thread.accounted_ns += spent;
  if (spent >= kShortGapNs) look_at_cpu(thread);
  publish(page, thread.now_ns());
}

void settle(Page& page, uint64_t place) {
  ThreadTime& thread = this_thread(page);
  if (!thread.depth) catch_up(thread, page);
  thread.gap_ns = host_gaps().believe(place, thread.gap_ns);
  move_to(thread, page, 0);
}

void spend(Page& page, int64_t ns) {
  ThreadTime& thread = this_thread(page);
  move_to(thread, page, thread.now_ns() + ns);
}

void wait_until(Page& page, int64_t at_ns) {
  move_to(this_thread(page), page, at_ns);
}

}  // namespace maya::clock
