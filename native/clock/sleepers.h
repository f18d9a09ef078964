// Threads that let virtual time pass.
//
// In a patient job (MAYA_CLOCK_PATIENT, for servers and their clients) every wait with an end is such a
// thread: it ends by itself, or when the job's time has come so far. Time moves to the earliest end when no
// thread of the job can run. Elsewhere only sleeps are.
#pragma once

#include <atomic>
#include <cstdint>

#include "page.h"
#include "runners.h"

namespace maya::clock {

bool patient();

// A wait of a few real nanoseconds, for 0 a look; true if it ended for a reason of its own.
class Nap {
 public:
  virtual bool over(uint64_t ns) = 0;

 protected:
  ~Nap() = default;
};

// Whether the wait ended by itself before the job's time had come to `at_ns`.
bool wait_patiently(Page& page, int64_t at_ns, Nap& nap);

// Returns when the job's time has come so far.
void sleep_until(Page& page, int64_t at_ns);

// The kernel rounds the ends of real sleeps up by 50 us, as much as a whole nap: not for the calling thread.
void wake_in_time();

// A place among the sleepers.
class Sleeper {
 public:
  Sleeper(Page& page, int64_t at_ns);
  ~Sleeper();
  Sleeper(const Sleeper&) = delete;

  bool is_first();

 private:
  Page& page_;
  int64_t at_ns_;
  std::atomic<int64_t>* slot_ = nullptr;
  unsigned looks_ = 0;
};

// Moves the job's time where nothing else does: to the end of the first sleeper once nobody can run, and
// meanwhile with the CPU time of a thread that computes and never looks at the clock.
class Mover {
 public:
  Mover(Page& page, int64_t at_ns) : page_(page), at_ns_(at_ns) {}

  void look();

 private:
  Page& page_;
  int64_t at_ns_;
  Runner runner_;
  int64_t seen_ns_ = -1;
  uint64_t cpu_ns_ = 0;
};

// Of all other threads of the job.
bool nobody_runs(const Page& page);

}  // namespace maya::clock
