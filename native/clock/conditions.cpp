#include "conditions.h"

#include <errno.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "real.h"
#include "sleepers.h"
#include "thread_time.h"

namespace maya::clock {
namespace {

constexpr uint64_t kLongestWaitNs = 2'000'000'000;  // then it ends as if somebody had woken it for nothing
constexpr uint64_t kNapNs = 50'000, kLongNapNs = 500'000, kIdleNapNs = 1'000'000;

struct Waiter {
  pthread_cond_t* condition;
  int64_t at_ns;
  Sleeper* sleeper;
  Mover* mover;
};

// The waiters of this process.
class Watch {
 public:
  void add(Waiter* waiter) {
    std::lock_guard<std::mutex> guard(lock_);
    waiters_.push_back(waiter);
    if (!running_) start();
  }

  void remove(Waiter* waiter) {
    std::lock_guard<std::mutex> guard(lock_);
    waiters_.erase(std::find(waiters_.begin(), waiters_.end(), waiter));
  }

 private:
  void start() {
    pthread_t thread;
    auto run = [](void* self) -> void* {
      static_cast<Watch*>(self)->run();
      return nullptr;
    };
    running_ = pthread_create(&thread, nullptr, run, this) == 0;
    if (running_) pthread_detach(thread);
  }

  [[noreturn]] void run() {
    wake_in_time();
    for (;;) real_sleep(look());
  }

  // How long until the next look.
  uint64_t look() {
    std::lock_guard<std::mutex> guard(lock_);
    uint64_t nap_ns = waiters_.empty() ? kIdleNapNs : kLongNapNs;
    for (Waiter* waiter : waiters_) {
      if (waiter->sleeper->is_first()) {
        waiter->mover->look();
        if (!page()->standing.load()) nap_ns = kNapNs;
      }
      // Again at each look: it may have been about to wait.
      if (page()->furthest_ns.load() >= waiter->at_ns) pthread_cond_broadcast(waiter->condition);
    }
    return nap_ns;
  }

  std::mutex lock_;
  std::vector<Waiter*> waiters_;
  bool running_ = false;
};

// A forked child has none of its parent's threads.
Watch* current = nullptr;

Watch& watch() {
  static const bool once = [] {
    current = new Watch;
    return pthread_atfork(nullptr, nullptr, [] { current = new Watch; }) == 0;
  }();
  (void)once;
  return *current;
}

}  // namespace

int wait_for_condition(Page& page, pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t at_ns,
                       Condwait* wait) {
  timespec past{0, 0};
  if (now_ns(page) >= at_ns) return wait(condition, mutex, CLOCK_MONOTONIC, &past);
  enter(page);
  int error;
  {
    Sleeper sleeper(page, at_ns);
    Mover mover(page, at_ns);
    Waiter waiter{condition, at_ns, &sleeper, &mover};
    watch().add(&waiter);
    timespec end = to_timespec(real_ns(CLOCK_MONOTONIC) + kLongestWaitNs);
    error = wait(condition, mutex, CLOCK_MONOTONIC, &end);
    watch().remove(&waiter);
  }
  int64_t furthest = page.furthest_ns.load();
  wait_until(page, std::min(at_ns, furthest));
  leave(page);
  if (error && error != ETIMEDOUT) return error;
  return furthest >= at_ns ? ETIMEDOUT : 0;
}

}  // namespace maya::clock
