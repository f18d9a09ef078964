// What the step detector is told from outside, so that a test can tell it something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace maya {

struct StepRules {
  size_t steps = 3;                         // to be measured
  uint64_t plain_wait_ns = 30'000'000'000;  // how long an optimiser is waited for
  uint64_t limit_ns = 0;                    // after which the run ends without a step; 0: never
  size_t work_between_looks = 256;          // the clock is not read for every launch
  std::function<uint64_t()> now_ns;         // monotonic

  // A step is believed when it has come once more than it is measured.
  size_t repeats() const { return steps + 1; }
};

}  // namespace maya
