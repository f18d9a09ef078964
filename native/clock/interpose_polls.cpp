// Waits for files: poll, select and epoll.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include "page.h"
#include "real.h"
#include "sleepers.h"
#include "thread_time.h"
#include "waiting.h"

#define MAYA_PUBLIC __attribute__((visibility("default")))

namespace maya::clock {
namespace {

using Ppoll = int(pollfd*, nfds_t, const timespec*, const sigset_t*);
using Pselect = int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
using EpollPwait = int(int, epoll_event*, int, int, const sigset_t*);

int real_ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* signals) {
  static auto* const function = next<Ppoll>("ppoll");
  return function(files, count, timeout, signals);
}

constexpr int64_t kMilli = 1'000'000;

int64_t to_signed_ns(const timespec& time) {
  return static_cast<int64_t>(to_ns(time));
}

// `poll` takes a time to wait, null for that of the program, and returns how many are ready, or -1. Nothing
// to be ready for is a sleep.
template <typename Poll>
int poll_for(Page& page, int64_t timeout_ns, bool sleeps, Poll poll) {
  if (timeout_ns <= 0) return poll(nullptr);
  int64_t until_ns = now_ns(page) + timeout_ns;
  if (sleeps) {
    sleep_until(page, until_ns);
    return 0;
  }
  if (patient()) {
    int ready = 0;
    auto look = [&](uint64_t ns) {
      timespec nap = to_timespec(ns);
      return (ready = poll(&nap)) != 0;
    };
    return ends_by_itself(page, until_ns, look) ? ready : 0;
  }
  int ready = poll(nullptr);
  if (ready == 0) timed_out(page, until_ns);
  return ready;
}

int poll_files(Page& page, pollfd* files, nfds_t count, int64_t timeout_ns, const sigset_t* signals) {
  return poll_for(page, timeout_ns, count == 0, [&](const timespec* nap) {
    timespec whole = to_timespec(static_cast<uint64_t>(timeout_ns > 0 ? timeout_ns : 0));
    return real_ppoll(files, count, nap ? nap : timeout_ns < 0 ? nullptr : &whole, signals);
  });
}

// Each look overwrites the sets.
struct Sets {
  fd_set* read;
  fd_set* write;
  fd_set* other;
  fd_set kept[3];

  static void copy(fd_set& to, const fd_set* from) {
    if (from) to = *from;
  }
  void keep() { copy(kept[0], read), copy(kept[1], write), copy(kept[2], other); }
  void restore() {
    if (read) *read = kept[0];
    if (write) *write = kept[1];
    if (other) *other = kept[2];
  }
};

int select_files(Page& page, int count, Sets sets, int64_t timeout_ns, const sigset_t* signals) {
  static auto* const function = next<Pselect>("pselect");
  sets.keep();
  return poll_for(page, timeout_ns, count == 0, [&](const timespec* nap) {
    timespec whole = to_timespec(static_cast<uint64_t>(timeout_ns));
    sets.restore();
    return function(count, sets.read, sets.write, sets.other, nap ? nap : &whole, signals);
  });
}

// epoll counts milliseconds: a nap is a look at the poller itself.
int poll_events(Page& page, int poller, epoll_event* events, int most, int64_t timeout_ns,
                const sigset_t* signals) {
  static auto* const function = next<EpollPwait>("epoll_pwait");
  return poll_for(page, timeout_ns, false, [&](const timespec* nap) {
    int whole_ms = static_cast<int>(timeout_ns < 0 ? -1 : (timeout_ns + kMilli - 1) / kMilli);
    if (!nap) return function(poller, events, most, whole_ms, signals);
    pollfd file{poller, POLLIN, 0};
    int ready = real_ppoll(&file, 1, nap, signals);
    return ready > 0 ? function(poller, events, most, 0, signals) : ready;
  });
}

}  // namespace
}  // namespace maya::clock

using namespace maya::clock;

extern "C" {

MAYA_PUBLIC int poll(pollfd* files, nfds_t count, int timeout_ms) {
  static auto* const function = next<int(pollfd*, nfds_t, int)>("poll");
  Page* shared = page();
  if (!shared || timeout_ms <= 0) return function(files, count, timeout_ms);
  return poll_files(*shared, files, count, timeout_ms * kMilli, nullptr);
}

MAYA_PUBLIC int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, size_t) {
  return poll(files, count, timeout_ms);
}

MAYA_PUBLIC int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* signals) {
  Page* shared = page();
  if (!shared || !timeout) return real_ppoll(files, count, timeout, signals);
  return poll_files(*shared, files, count, to_signed_ns(*timeout), signals);
}

MAYA_PUBLIC int select(int count, fd_set* read, fd_set* write, fd_set* other, timeval* timeout) {
  static auto* const function = next<int(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  Page* shared = page();
  if (!shared || !timeout) return function(count, read, write, other, timeout);
  int64_t timeout_ns = int64_t{timeout->tv_sec} * 1'000'000'000 + int64_t{timeout->tv_usec} * 1000;
  return select_files(*shared, count, {read, write, other, {}}, timeout_ns, nullptr);
}

MAYA_PUBLIC int pselect(int count, fd_set* read, fd_set* write, fd_set* other, const timespec* timeout,
                        const sigset_t* signals) {
  static auto* const function = next<Pselect>("pselect");
  Page* shared = page();
  if (!shared || !timeout) return function(count, read, write, other, timeout, signals);
  return select_files(*shared, count, {read, write, other, {}}, to_signed_ns(*timeout), signals);
}

MAYA_PUBLIC int epoll_pwait(int poller, epoll_event* events, int most, int timeout_ms,
                            const sigset_t* signals) {
  static auto* const function = next<EpollPwait>("epoll_pwait");
  Page* shared = page();
  if (!shared || timeout_ms <= 0) return function(poller, events, most, timeout_ms, signals);
  return poll_events(*shared, poller, events, most, timeout_ms * kMilli, signals);
}

MAYA_PUBLIC int epoll_wait(int poller, epoll_event* events, int most, int timeout_ms) {
  return epoll_pwait(poller, events, most, timeout_ms, nullptr);
}

MAYA_PUBLIC int epoll_pwait2(int poller, epoll_event* events, int most, const timespec* timeout,
                             const sigset_t* signals) {
  using Function = int(int, epoll_event*, int, const timespec*, const sigset_t*);
  static auto* const function = next<Function>("epoll_pwait2");
  Page* shared = page();
  if (!shared || !timeout) return function(poller, events, most, timeout, signals);
  return poll_events(*shared, poller, events, most, to_signed_ns(*timeout), signals);
}
}
