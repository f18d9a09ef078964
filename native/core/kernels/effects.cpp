#include "kernels/effects.h"

#include <cstring>
#include <utility>
#include <vector>

#include "kernels/evaluate.h"
#include "kernels/masking.h"
#include "kernels/perform.h"
#include "kernels/reductions.h"
#include "known_values.h"
#include "maya/graph.h"
#include "maya/values.h"

namespace maya {
namespace {

// A kernel that can be carried out is, once it is clear what it overwrites.
bool mask_and_perform(const LaunchedKernel& kernel, Image& image) {
  constexpr size_t kLargest = 4096;
  const auto& [function, facts, recipe, shape, tensors] = kernel;
  if (!recipe.makes_values) return mask_parameters(facts, recipe, tensors, true, image);
  Evaluation evaluation = evaluate(recipe, facts, image.bytes);
  bool answers = has_answer(recipe.family.values) || recipe.reduction.what != Reduces::nothing;
  char unmasked[kLargest];
  bool copied = answers && image.size <= kLargest;
  if (copied) std::memcpy(unmasked, image.bytes, image.size);
  bool applies_gradient = mask_parameters(facts, recipe, tensors, !evaluation.bounded, image);
  apply_evaluation(evaluation);
  if (!copied) return applies_gradient;
  perform(recipe.family, function.name, facts, unmasked, shape.grid);
  if (!is_known(evaluation)) answer_reduction(recipe.reduction, facts, unmasked);
  return applies_gradient;
}

// A launch into a graph.
struct PostponedLaunch {
  const Function& function;
  const KernelFacts& facts;
  const Recipe& recipe;
  LaunchShape shape;
  std::vector<char> image;
  std::vector<Block> written;  // as memory was laid out when it was captured

  void operator()() const {
    Evaluation evaluation = evaluate(recipe, facts, image.data());
    for (const Block& block : written) {
      if (!evaluation.bounded) known_values().forget_range(block.start, block.end - block.start);
    }
    apply_evaluation(evaluation);
    if (has_answer(recipe.family.values)) {
      perform(recipe.family, function.name, facts, image.data(), shape.grid);
    }
    if (recipe.reduction.what == Reduces::nothing || is_known(evaluation)) return;
    answer_reduction(recipe.reduction, facts, image.data());
  }
};

bool mask_and_postpone(const LaunchedKernel& kernel, Image& image, Stream& stream) {
  const auto& [function, facts, recipe, shape, tensors] = kernel;
  PostponedLaunch postponed{function, facts, recipe, shape, {image.bytes, image.bytes + image.size}, {}};
  bool applies_gradient = false;
  postponed.written = KnownValues::forgotten_by([&, &facts = facts, &recipe = recipe, &tensors = tensors] {
    applies_gradient = mask_parameters(facts, recipe, tensors, true, image);
  });
  postpone(stream, std::move(postponed));
  return applies_gradient;
}

}  // namespace

bool take_effect(const LaunchedKernel& kernel, Image& image, Stream& stream) {
  return stream.capture ? mask_and_postpone(kernel, image, stream) : mask_and_perform(kernel, image);
}

}  // namespace maya
