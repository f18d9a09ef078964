// Loops in which nobody is seen to change weights: inference, and optimisers that nobody knows.
//
// Their step is what repeats over most of the work since the last piece. Layers repeat within a pass too, but
// not for long, not hundreds of times, and the host does nothing between them: a step is believed after a
// good while, or at once where it has come more often than models have layers, or where the host has waited
// for the device, begun a range or told a profiler between most repetitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "steps/periodicity.h"
#include "steps/rules.h"
#include "steps/work.h"

namespace maya {

// What a loop is made of, and what must be told from its steps.
struct LoopParts {
  size_t smallest_step;    // an autotuner's benchmark of one kernel repeats too
  size_t fewest_measured;  // short steps overlap
  size_t most_in_pass;     // that repeat within a step
};

// What may still come, and is waited for.
struct Awaited {
  bool optimizer = false;  // the program has one of PyTorch's
  bool update = false;     // gradients were computed
};

// A step of `period` pieces of work, of which the last `steps` are measured; all 0 if there is none.
struct LoopStep {
  size_t period = 0;
  size_t steps = 0;
};

class PlainLoop {
 public:
  explicit PlainLoop(const StepRules& rules);

  // From now on executables are added instead of pieces of work.
  void count_executables(uint64_t now_ns);
  void add(const WorkKey& work);
  // A piece ended: what came before it counts no more.
  void restart(uint64_t now_ns);
  // The host has done something that it does once a step: waited for the device, begun a range.
  void separate();
  // To be called now and then.
  LoopStep step(uint64_t now_ns, Awaited awaited);
  // Nothing more will come, so that nothing is waited for.
  LoopStep step_at_end() const;

 private:
  // When how much of the work since the last piece had been done.
  struct Moment {
    uint64_t at_ns;
    size_t work;
  };
  size_t computing(size_t period) const;
  bool surely_whole(const Repetition& found) const;
  size_t separations(const Repetition& found) const;
  bool outlasts_autotuners(const Repetition& found, uint64_t lasted_ns) const;
  LoopStep varying_step() const;
  Repetition repetition_of_amounts() const;
  LoopStep step_of(const Repetition& found, size_t steps) const;
  LoopStep varying_step_of(const Repetition& found) const;
  uint64_t patience_ns(const Repetition& found, Awaited awaited) const;
  uint64_t began_ns(const Repetition& found, uint64_t now_ns) const;

  const StepRules& rules_;
  LoopParts parts_;
  std::vector<uint64_t> work_;     // keys since the last piece
  std::vector<uint64_t> kinds_;    // and what kinds of work they are
  size_t forgotten_ = 0;           // of them
  std::deque<size_t> separators_;  // how much work had been done at each
  std::deque<Moment> moments_;
  uint64_t since_ns_ = 0;
  uint64_t next_check_ns_ = 0;
};

}  // namespace maya
