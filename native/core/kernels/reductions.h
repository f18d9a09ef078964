// Reductions of unknown data that a policy answers: tokens of experts, norms.
#pragma once

#include "kernels/values/reduction.h"
#include "maya/fatbin.h"

namespace maya {

void answer_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image);

}  // namespace maya
