// Carries out what a kernel does to values, where its name and arguments tell it and what it needs is known.
#pragma once

#include "kernels/recipe.h"
#include "kernels/values/evaluation.h"
#include "maya/fatbin.h"

namespace maya {

// To be asked before anything is forgotten: a kernel may write over its own inputs.
Evaluation evaluate(const Recipe& recipe, const KernelFacts& facts, const char* image);
void apply_evaluation(const Evaluation& evaluation);

// Whether every byte of the results is known.
bool is_known(const Evaluation& evaluation);

}  // namespace maya
