// What a program asks for the time.
#include <sys/time.h>
#include <time.h>

#include "clock.h"
#include "page.h"
#include "real.h"
#include "sleepers.h"
#include "thread_time.h"

#define MAYA_PUBLIC __attribute__((visibility("default")))

namespace maya::clock {
namespace {

// Where the clock stood at the job's start; 0 for clocks of CPU time, which stay as they are.
uint64_t start_of(const Page& page, clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return page.start_unix_ns.load(std::memory_order_relaxed);
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return page.start_monotonic_ns.load(std::memory_order_relaxed);
    default:
      return 0;
  }
}

uint64_t shown_ns(Page& page, clockid_t clock) {
  return start_of(page, clock) + static_cast<uint64_t>(now_ns(page));
}

uint64_t unix_ns(int64_t at_ns) {
  return page()->start_unix_ns.load() + static_cast<uint64_t>(at_ns);
}

// Other threads go on meanwhile, and may have work before the device is done.
void wait_for_device(int64_t at_ns) {
  Page& shared = *page();
  if (at_ns <= now_ns(shared)) return;
  if (patient()) return sleep_until(shared, at_ns);
  wait_until(shared, at_ns);
}

// Ranks of a launcher have a clock each. Who waits for another rank's is not one that sleeps, whose waking
// the own clock may move on to. Where they share a clock, as a server's do, somebody's sleep may have to end
// first.
void await_ranks(int threads) {
  if (!patient()) page()->held.fetch_add(threads);
}

const MayaClock kClock{
    [] { return now_ns(*page()); },
    [] { enter(*page()); },
    [] { leave(*page()); },
    [](uint64_t place) { settle(*page(), place); },
    [](int64_t ns) { spend(*page(), ns); },
    wait_for_device,
    [](int threads) { page()->held.fetch_add(threads); },
    await_ranks,
    unix_ns,
};

}  // namespace
}  // namespace maya::clock

using namespace maya::clock;

extern "C" {

MAYA_PUBLIC const MayaClock* maya_clock() {
  return page() ? &kClock : nullptr;
}

MAYA_PUBLIC int clock_gettime(clockid_t clock, timespec* time) noexcept {
  Page* shared = page();
  if (!shared || !time || !start_of(*shared, clock)) return real_gettime(clock, time);
  *time = to_timespec(shown_ns(*shared, clock));
  return 0;
}

MAYA_PUBLIC int gettimeofday(timeval* time, void* zone) noexcept {
  static auto* const function = next<int(timeval*, void*)>("gettimeofday");
  Page* shared = page();
  if (!shared || !time) return function(time, zone);
  uint64_t ns = shown_ns(*shared, CLOCK_REALTIME);
  *time = {static_cast<time_t>(ns / 1'000'000'000u), static_cast<suseconds_t>(ns % 1'000'000'000u / 1000)};
  return 0;
}

MAYA_PUBLIC time_t time(time_t* out) noexcept {
  static auto* const function = next<time_t(time_t*)>("time");
  Page* shared = page();
  if (!shared) return function(out);
  time_t seconds = static_cast<time_t>(shown_ns(*shared, CLOCK_REALTIME) / 1'000'000'000u);
  if (out) *out = seconds;
  return seconds;
}

MAYA_PUBLIC int timespec_get(timespec* time, int base) noexcept {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}
}
