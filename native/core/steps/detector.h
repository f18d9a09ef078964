// Finds the training step in the sequence of device work.
//
// A script's smallest repeating unit need not be its step: with gradient accumulation the micro-batches
// repeat, before training an evaluation does, in every pass the layers. What sets a step apart is that
// weights change. So the sequence is cut wherever an optimiser has stepped. PyTorch's optimisers say so
// themselves (maya_inside/optimizers.py); others are known by their kernels' names; where there are none, it
// is cut wherever the use of gradients begins (gradients.h). The pieces are compared by a hash of their work,
// and the run is steady when the last pieces repeat with some period (two pieces a step for a GAN).
//
// Then it is watched a while longer (watch.h), so that work which comes with every tenth step is seen.
//
// A program that changes no weights is steady when most of all that it has done repeats: for a good while,
// very often, or until it ends (plain_loop.h). A program whose user names its steps is cut there and nowhere
// else.
//
// Nothing here knows of the process: rules, clock and gradients are given, the outcome is an answer.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>

#include "steps/boundary.h"
#include "steps/executables.h"
#include "steps/pieces.h"
#include "steps/plain_loop.h"
#include "steps/rules.h"
#include "steps/steadiness.h"
#include "steps/watch.h"

namespace maya {

// What one piece of work has led to.
struct Outcome {
  size_t pieces_ended = 0;
  std::optional<Steady> steady;
  bool out_of_time = false;
};

class StepDetector {
 public:
  StepDetector(StepRules rules, GradientWatch& gradients);
  StepDetector(const StepDetector&) = delete;

  // For every piece of device work, in order. Once it is finished it goes on cutting, for ranks that are not.
  Outcome observe(const WorkKey& work);
  void optimizer_made();
  void optimizer_stepped() { boundary_.optimizer_stepped(); }
  // The host has waited for the device.
  void separated() { loop_.separate(); }
  // Or has named what comes next; executables do so for each of their parts.
  void range_begins() {
    if (!executables_.seen()) loop_.separate();
  }
  // An executable is launched: in programs that run nothing else, these are what repeats.
  void executable_begins(uint64_t executable, uint64_t thread);
  // A step begins here, by the name that the user gave it.
  void marked();
  // The program ends.
  Outcome conclude();

  // Pieces end where executables are launched, not where weights have changed or the user says.
  bool counts_executables() const { return executables_.seen() && !marks_come_; }
  bool finished() const { return finished_; }
  const Pieces& pieces() const { return pieces_; }

 private:
  void close_piece(Outcome& outcome);
  void look_for_steps(Outcome& outcome);
  void believe(const Steady& steady, Outcome& outcome, uint64_t now_ns);
  void look_at_loop(Outcome& outcome, uint64_t now_ns);
  std::optional<Steady> steady_loop(const LoopStep& step) const;
  void look_at_clock(Outcome& outcome);
  bool piece_ends_before(const WorkKey& work);

  const StepRules rules_;
  GradientWatch& gradients_;
  Boundary boundary_;
  Pieces pieces_;
  PlainLoop loop_;
  Executables executables_;
  std::optional<Steady> found_;
  Watch watch_;
  size_t optimizers_ = 0;
  bool marks_come_ = false;  // the user's
  bool marked_ = false;      // and no work has come since the last
  size_t work_seen_ = 0;
  uint64_t first_work_ns_ = 0;
  bool finished_ = false;
};

}  // namespace maya
