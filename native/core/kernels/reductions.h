// PyTorch's reductions, carried out on few numbers that are known.
#pragma once

#include "maya/fatbin.h"

namespace maya {

// Whether perform_reduction knows what this reduce_kernel does.
bool is_reduction(const char* mangled);
// Sums, extremes and norms. Those of unknown data may be answered by a policy: tokens of experts, norms.
void perform_reduction(const char* mangled, const KernelFacts& facts, const char* image);

}  // namespace maya
