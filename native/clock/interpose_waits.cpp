// What a program lets pass: sleeps, and waits with an end.
//
// A sleep lasts until the job's time has come so far. Any other wait may be over for reasons of its own, and
// a thread that computes without looking at the clock must not make it endless: it lasts as long as it would
// with the real clock, and then the job's time moves on if nothing else in the job could move it. In a
// patient job it is a sleep that may end by itself.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "conditions.h"
#include "page.h"
#include "real.h"
#include "sleepers.h"
#include "thread_time.h"
#include "waiting.h"

#define MAYA_PUBLIC __attribute__((visibility("default")))

namespace maya::clock {
namespace {

constexpr uint64_t kLongAgo = 1'000'000'000'000'000'000u;  // in 2001: later is a moment of CLOCK_REALTIME

// A moment of either clock as the program sees it, counted from the job's start.
int64_t since_start(const Page& page, const timespec& moment) {
  uint64_t ns = to_ns(moment);
  uint64_t start = ns > kLongAgo ? page.start_unix_ns.load() : page.start_monotonic_ns.load();
  return static_cast<int64_t>(ns) - static_cast<int64_t>(start);
}

// The same moment for the kernel.
timespec on_real_clock(Page& page, int64_t until_ns) {
  int64_t left_ns = until_ns - now_ns(page);
  return to_timespec(real_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(left_ns > 0 ? left_ns : 0));
}

timespec soon(uint64_t ns) {
  return to_timespec(real_ns(CLOCK_MONOTONIC) + ns);
}

// `wait` takes the end on CLOCK_MONOTONIC and returns an error number.
template <typename Wait>
int wait_for(Page& page, const timespec& end, Wait wait) {
  int64_t until_ns = since_start(page, end);
  if (patient()) {
    int error = ETIMEDOUT;
    auto look = [&](uint64_t ns) { return (error = wait(soon(ns))) != ETIMEDOUT; };
    return ends_by_itself(page, until_ns, look) ? error : ETIMEDOUT;
  }
  timespec real = on_real_clock(page, until_ns);
  int error = wait(real);
  if (error == ETIMEDOUT) timed_out(page, until_ns);
  return error;
}

int valid(const timespec* time) {
  return time && time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000 && time->tv_sec >= 0 ? 0 : EINVAL;
}

using Semwait = int(sem_t*, clockid_t, const timespec*);
using Mutexlock = int(pthread_mutex_t*, clockid_t, const timespec*);

int condition_wait(Page& page, pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec& end) {
  static auto* const function = next<Condwait>("pthread_cond_clockwait");
  if (patient()) return wait_for_condition(page, condition, mutex, since_start(page, end), function);
  return wait_for(page, end,
                  [&](const timespec& real) { return function(condition, mutex, CLOCK_MONOTONIC, &real); });
}

int semaphore_wait(Page& page, sem_t* semaphore, const timespec& end) {
  static auto* const function = next<Semwait>("sem_clockwait");
  int error = wait_for(page, end, [&](const timespec& real) {
    return function(semaphore, CLOCK_MONOTONIC, &real) == 0 ? 0 : errno;
  });
  if (error) errno = error;
  return error ? -1 : 0;
}

int mutex_lock(Page& page, pthread_mutex_t* mutex, const timespec& end) {
  static auto* const function = next<Mutexlock>("pthread_mutex_clocklock");
  return wait_for(page, end, [&](const timespec& real) { return function(mutex, CLOCK_MONOTONIC, &real); });
}

}  // namespace
}  // namespace maya::clock

using namespace maya::clock;

extern "C" {

MAYA_PUBLIC int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static auto* const function = next<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  Page* shared = page();
  if (!shared || valid(time) != 0) return function(clock, flags, time, left);
  bool absolute = flags & TIMER_ABSTIME;
  sleep_until(*shared,
              absolute ? since_start(*shared, *time) : now_ns(*shared) + static_cast<int64_t>(to_ns(*time)));
  return 0;
}

MAYA_PUBLIC int nanosleep(const timespec* time, timespec* left) {
  int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  if (error) errno = error;
  return error ? -1 : 0;
}

MAYA_PUBLIC int usleep(useconds_t microseconds) {
  timespec time = to_timespec(uint64_t{microseconds} * 1000);
  return nanosleep(&time, nullptr);
}

MAYA_PUBLIC unsigned sleep(unsigned seconds) {
  timespec time{static_cast<time_t>(seconds), 0}, left{};
  return nanosleep(&time, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}

MAYA_PUBLIC int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       const timespec* end) {
  using Function = int(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static auto* const function = next<Function>("pthread_cond_timedwait", "GLIBC_2.3.2");
  Page* shared = page();
  if (!shared || valid(end) != 0) return function(condition, mutex, end);
  return condition_wait(*shared, condition, mutex, *end);
}

MAYA_PUBLIC int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* end) {
  static auto* const function = next<Condwait>("pthread_cond_clockwait");
  Page* shared = page();
  if (!shared || valid(end) != 0) return function(condition, mutex, clock, end);
  return condition_wait(*shared, condition, mutex, *end);
}

MAYA_PUBLIC int sem_timedwait(sem_t* semaphore, const timespec* end) {
  static auto* const function = next<int(sem_t*, const timespec*)>("sem_timedwait");
  Page* shared = page();
  return shared && valid(end) == 0 ? semaphore_wait(*shared, semaphore, *end) : function(semaphore, end);
}

MAYA_PUBLIC int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* end) {
  static auto* const function = next<Semwait>("sem_clockwait");
  Page* shared = page();
  return shared && valid(end) == 0 ? semaphore_wait(*shared, semaphore, *end)
                                   : function(semaphore, clock, end);
}

MAYA_PUBLIC int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* end) noexcept {
  static auto* const function = next<int(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  Page* shared = page();
  return shared && valid(end) == 0 ? mutex_lock(*shared, mutex, *end) : function(mutex, end);
}

MAYA_PUBLIC int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                        const timespec* end) noexcept {
  static auto* const function = next<Mutexlock>("pthread_mutex_clocklock");
  Page* shared = page();
  return shared && valid(end) == 0 ? mutex_lock(*shared, mutex, *end) : function(mutex, clock, end);
}
}
