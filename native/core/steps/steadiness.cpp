#include "steps/steadiness.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "steps/alike.h"
#include "steps/periodicity.h"

namespace maya {
namespace {

constexpr size_t kLargestPeriod = 4096;  // pieces in a step: an optimiser for each parameter
constexpr size_t kLooseRepeats = 8;      // extra steps asked for when sizes vary from step to step
constexpr size_t kMoreWork = 5;          // clearly more is a fifth of it
constexpr size_t kInARow = 4;            // steps that prove one, however many are to be measured
constexpr size_t kMostUpdates = 8;       // of each optimiser, after a backward pass each, in a step

using Kinds = std::vector<uint64_t>;

// Steps that do the same work may differ in the sizes of a few launches, by turns; each is a step
// nevertheless. `period` pieces repeat exactly; the fewest of them that do the same kind of work are a step.
size_t pieces_in_step(const Pieces& pieces, size_t repeats, size_t period) {
  size_t alike = period_at_end(pieces.loose(), repeats * period, period);
  return alike && period % alike == 0 ? alike : period;
}

// What a step is among `period` pieces that only repeat together (an evaluation after each epoch, with few
// steps between): the kind that most of them are, or half if the others do clearly more. 0 if there is none.
uint64_t usual_piece(const Pieces& pieces, const Kinds& kinds, size_t period) {
  std::unordered_map<uint64_t, size_t> times;
  size_t size = kinds.size(), usual = size;
  for (size_t i = size - period; i < size; ++i) ++times[kinds[i]];
  for (size_t i = size - period; i < size; ++i) {
    if (2 * times[kinds[i]] < period) continue;
    if (usual == size || pieces[i].amount < pieces[usual].amount) usual = i;
  }
  if (usual == size) return 0;
  bool most = 2 * times[kinds[usual]] > period;
  for (size_t i = size - period; i < size && !most; ++i) {
    bool same = kinds[i] == kinds[usual];
    if (!same && kMoreWork * pieces[usual].amount > (kMoreWork - 1) * pieces[i].amount) return 0;
  }
  return kinds[usual];
}

size_t backward_passes(const Pieces& pieces, size_t period) {
  size_t computed = 0;
  for (size_t i = pieces.size() - period; i < pieces.size(); ++i) computed += pieces[i].gradients;
  return computed;
}

// Of one optimiser; but one that is told to step several times after a backward pass, for a part of its
// parameters each time (DeepSpeed's ZeRO does so for each group of them), makes pieces without gradients.
bool each_is_a_step(const Pieces& pieces, size_t optimizers, size_t period) {
  size_t computed = backward_passes(pieces, period);
  return optimizers == 1 && (computed == 0 || computed == period);
}

// Many steps that only repeat together are no step: what differs between them comes now and then.
bool is_one_step(const Pieces& pieces, size_t optimizers, size_t period) {
  return optimizers == 0 || backward_passes(pieces, period) <= kMostUpdates * optimizers;
}

// Every piece is a step where one optimiser steps, also if no two in a row are alike. The usual ones are
// measured, or all of a period: their mean is what a step takes.
std::optional<Steady> mixed(const Pieces& pieces, const Kinds& kinds, Steadiness how, size_t period,
                            size_t wanted_steps) {
  uint64_t usual = usual_piece(pieces, kinds, period);
  if (!usual) return Steady{how, 1, period};
  size_t steps = std::min(longest_run(kinds, usual, 2 * period), wanted_steps);
  if (longest_run(kinds, usual, steps) < steps) return std::nullopt;  // they come once more
  return Steady{how, 1, steps};
}

}  // namespace

std::optional<Steady> find_steady(const Pieces& pieces, size_t wanted_steps, size_t optimizers) {
  size_t repeats = std::min(wanted_steps + 1, kInARow);
  if (size_t period = period_at_end(pieces.exact(), repeats, kLargestPeriod)) {
    if (pieces.size() < (wanted_steps + 1) * period) return std::nullopt;
    size_t step = pieces_in_step(pieces, repeats, period);
    if (step > 1 && each_is_a_step(pieces, optimizers, period)) {
      return mixed(pieces, pieces.exact(), Steadiness::exact, period, wanted_steps);
    }
    if (is_one_step(pieces, optimizers, step)) return Steady{Steadiness::exact, step, wanted_steps};
  }
  if (size_t period = period_at_end(pieces.loose(), repeats + kLooseRepeats, kLargestPeriod)) {
    if (period > 1 && each_is_a_step(pieces, optimizers, period)) {
      return mixed(pieces, pieces.loose(), Steadiness::loose, period, wanted_steps);
    }
    if (is_one_step(pieces, optimizers, period)) return Steady{Steadiness::loose, period, wanted_steps};
  }
  // With several optimisers a piece need not be a step.
  size_t steps = optimizers > 1 ? 0 : pieces_alike(pieces, wanted_steps);
  return steps ? std::optional<Steady>({Steadiness::alike, 1, steps}) : std::nullopt;
}

}  // namespace maya
