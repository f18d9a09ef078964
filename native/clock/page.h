// What the processes of a job share of its clock: a page in the run directory
// (src/maya/rundir/clock_page.py).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace maya::clock {

constexpr int kMostProcesses = 256;
constexpr int kMostSleepers = 256;
constexpr int64_t kAwake = 0;

struct Page {
  std::atomic<int64_t> furthest_ns;          // of all threads
  std::atomic<uint64_t> start_monotonic_ns;  // 0 until the first process has come
  std::atomic<uint64_t> start_unix_ns;
  std::atomic<int32_t> held;      // threads that wait for an estimate
  std::atomic<int32_t> standing;  // a server that has no client: time moves for nobody
  std::atomic<int32_t> processes[kMostProcesses];
  std::atomic<int64_t> sleepers[kMostSleepers];  // until when; kAwake: the place is free
  std::atomic<int32_t> sleeping_processes[kMostSleepers];
};

// Null where the job has no virtual clock (MAYA_CLOCK names its file) or its page cannot be had.
Page* page();

// Whether there is no such process any more, or only what its parent has not asked for yet.
bool has_ended(int32_t process);

// Moves the furthest time on.
void publish(Page& page, int64_t at_ns);

}  // namespace maya::clock
