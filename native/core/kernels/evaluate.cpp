#include "kernels/evaluate.h"

#include <algorithm>

#include "kernels/norms.h"
#include "known_values.h"

namespace maya {

Evaluation evaluate(const Recipe& recipe, const KernelFacts& facts, const char* image) {
  if (recipe.elementwise.form != OperandForm::none) {
    return evaluate_elementwise(recipe.elementwise, facts, image);
  }
  if (recipe.reduction.what != Reduces::nothing) return evaluate_reduction(recipe.reduction, facts, image);
  return {};
}

void apply_evaluation(const Evaluation& evaluation) {
  for (const Lost& lost : evaluation.lost) known_values().forget_range(lost.address, lost.bytes);
  for (const MemoryUpdate& update : evaluation.updates) {
    apply_update(update);
    follow_norm(reinterpret_cast<void*>(update.address), evaluation.follows_norm);
  }
}

bool is_known(const Evaluation& evaluation) {
  if (evaluation.updates.empty()) return false;
  const std::vector<uint8_t>& states = evaluation.updates.front().states;
  return std::none_of(states.begin(), states.end(),
                      [](uint8_t state) { return state == MemoryUpdate::unknown; });
}

}  // namespace maya
