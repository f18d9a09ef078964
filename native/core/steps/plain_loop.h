// Loops in which nobody is seen to change weights: inference, and optimisers that nobody knows.
//
// Their step is what repeats for a good while and over most of the work since the last piece. Layers repeat
// within a pass too, but never for so long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "steps/periodicity.h"
#include "steps/rules.h"
#include "steps/work.h"

namespace maya {

// What may still come, and is waited for.
struct Awaited {
  bool optimizer = false;  // the program has one of PyTorch's
  bool update = false;     // gradients were computed
};

class PlainLoop {
 public:
  explicit PlainLoop(const StepRules& rules) : rules_(rules) {}

  void add(const WorkKey& work);
  // A piece ended: what came before it counts no more.
  void restart(uint64_t now_ns);
  // Pieces of work a step has; 0 while none is believed. To be called now and then.
  size_t period(uint64_t now_ns, Awaited awaited);

 private:
  // When how much of the work since the last piece had been done.
  struct Moment {
    uint64_t at_ns;
    size_t work;
  };
  bool computes(size_t period) const;
  uint64_t patience_ns(const Repetition& found, Awaited awaited) const;
  uint64_t began_ns(const Repetition& found, uint64_t now_ns) const;

  const StepRules& rules_;
  std::vector<uint64_t> work_;  // keys since the last piece
  size_t forgotten_ = 0;        // of them
  std::deque<Moment> moments_;
  uint64_t since_ns_ = 0;
  uint64_t next_check_ns_ = 0;
};

}  // namespace maya
