#include "sleepers.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "real.h"
#include "runners.h"
#include "thread_time.h"

namespace maya::clock {
namespace {

constexpr uint64_t kFirstNapNs = 50'000, kLongestNapNs = 1'000'000;

constexpr unsigned kLooksBetween = 8;
// A thread that computes so long without a look at the clock moves the time by itself.
constexpr uint64_t kSilentNs = 200'000'000;

class Sleep final : public Nap {
 public:
  bool over(uint64_t ns) override {
    if (ns) real_sleep(ns);
    return false;
  }
};

bool wait_as_sleeper(Page& page, int64_t at_ns, Nap& nap) {
  Sleeper sleeper(page, at_ns);
  Mover mover(page, at_ns);
  uint64_t nap_ns = kFirstNapNs;
  wake_in_time();
  while (page.furthest_ns.load() < at_ns) {
    if (nap.over(nap_ns)) return true;
    bool first = sleeper.is_first();
    bool alert = first && patient() && !page.standing.load();
    nap_ns = alert ? kFirstNapNs : std::min(2 * nap_ns, kLongestNapNs);
    if (first) mover.look();
  }
  return nap.over(0);
}

}  // namespace

void wake_in_time() {
  thread_local bool asked = prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0) == 0;
  (void)asked;
}

Sleeper::Sleeper(Page& page, int64_t at_ns) : page_(page), at_ns_(at_ns) {
  for (int i = 0; i < kMostSleepers; ++i) {
    int64_t free = kAwake;
    if (!page.sleepers[i].compare_exchange_strong(free, at_ns)) continue;
    page.sleeping_processes[i] = getpid();
    slot_ = &page.sleepers[i];
    return;
  }
}

Sleeper::~Sleeper() {
  if (slot_) slot_->store(kAwake);
}

bool Sleeper::is_first() {
  for (int i = 0; i < kMostSleepers; ++i) {
    int64_t until = page_.sleepers[i].load(std::memory_order_relaxed);
    if (until == kAwake || until >= at_ns_) continue;
    // Whoever was killed keeps its place.
    if (++looks_ % kLooksBetween != 0 || !has_ended(page_.sleeping_processes[i])) return false;
    page_.sleepers[i].compare_exchange_strong(until, kAwake);
  }
  return true;
}

void Mover::look() {
  int64_t now = page_.furthest_ns.load();
  if (page_.held.load() > 0 || page_.standing.load()) return;
  Runner runner = find_runner(page_);
  if (!runner.found()) {
    if (page_.furthest_ns.load() == now) publish(page_, at_ns_);
    return;
  }
  uint64_t cpu = cpu_ns(runner);
  bool same = runner.thread == runner_.thread && now == seen_ns_ && cpu >= cpu_ns_;
  if (same && cpu - cpu_ns_ < kSilentNs) return;
  if (same) publish(page_, std::min(at_ns_, now + at_pace(cpu - cpu_ns_)));
  runner_ = runner;
  seen_ns_ = page_.furthest_ns.load();
  cpu_ns_ = cpu;
}

bool patient() {
  static const bool value = [] {
    const char* text = std::getenv("MAYA_CLOCK_PATIENT");
    return text && *text == '1';
  }();
  return value;
}

bool nobody_runs(const Page& page) {
  return page.held.load() <= 0 && !find_runner(page).found();
}

bool wait_patiently(Page& page, int64_t at_ns, Nap& nap) {
  if (nap.over(0)) return true;
  enter(page);
  bool own_end = wait_as_sleeper(page, at_ns, nap);
  wait_until(page, own_end ? std::min(at_ns, page.furthest_ns.load()) : at_ns);
  leave(page);
  return own_end;
}

void sleep_until(Page& page, int64_t at_ns) {
  Sleep sleep;
  wait_patiently(page, at_ns, sleep);
}

}  // namespace maya::clock
