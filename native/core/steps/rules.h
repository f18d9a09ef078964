// What the step detector is told from outside, so that a test can tell it something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace maya {

// For how long a step is watched that was found; by default not at all.
struct WatchRules {
  size_t steps = 0;       // enough, or
  uint64_t least_ns = 0;  // this time, or
  uint64_t part = 1;      // this part of the time before it, if that is longer
  size_t most_steps = 0;  // where one of them was unlike the others, as long as it is the only one
  uint64_t most_ns = 0;
};

struct StepRules {
  size_t steps = 3;                         // to be measured
  uint64_t plain_wait_ns = 30'000'000'000;  // how long an optimiser is waited for
  uint64_t limit_ns = 0;                    // after which the run ends without a step; 0: never
  size_t work_between_looks = 256;          // the clock is not read for every launch
  std::function<uint64_t()> now_ns;         // monotonic
  WatchRules watch;

  // A step is believed when it has come once more than it is measured.
  size_t repeats() const { return steps + 1; }
};

}  // namespace maya
