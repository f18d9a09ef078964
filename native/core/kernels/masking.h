// Which of a launch's arguments are addresses: what the kernel reads and writes, and what every launch of one
// problem has in common.
#pragma once

#include <cstddef>

#include "kernels/image.h"
#include "kernels/recipe.h"
#include "maya/fatbin.h"

namespace maya {

// Replaces addresses by a marker, so that equal launches look equal. True when the kernel applies a gradient.
// `tensors`: how many a list names, 0 where nobody knows. `forgets`: nobody else tells what the kernel
// writes, so that the values there are no longer known.
bool mask_parameters(const KernelFacts& facts, const Recipe& recipe, size_t tensors, bool forgets,
                     Image& image);

}  // namespace maya
