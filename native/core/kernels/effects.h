// What a launch does to values that are known on the host: at once, or each time that its graph is launched.
#pragma once

#include <cstddef>

#include "kernels/image.h"
#include "kernels/recipe.h"
#include "maya/kernels.h"
#include "maya/stream.h"

namespace maya {

// A kernel, how its arguments are read, and how it is launched.
struct LaunchedKernel {
  const Function& function;
  const KernelFacts& facts;
  const Recipe& recipe;
  const LaunchShape& shape;
  size_t tensors;  // that its list of tensors names, 0 where nobody knows
};

// Carries out what is known, forgets what is overwritten, and masks the addresses in `image`. True when the
// kernel applies a gradient.
bool take_effect(const LaunchedKernel& kernel, Image& image, Stream& stream);

}  // namespace maya
