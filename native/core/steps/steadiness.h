// Whether the pieces of a run repeat, and what of them a step is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "steps/pieces.h"

namespace maya {

enum class Steadiness : int64_t { exact = 1, loose = 2, without_optimizer = 3, alike = 4 };

// The measured steps are the last `steps` groups of `period` pieces (of work, where there is no optimiser).
struct Steady {
  Steadiness how;
  size_t period;
  size_t steps;
};

// `optimizers`: how many of PyTorch's the program has made.
std::optional<Steady> find_steady(const Pieces& pieces, size_t wanted_steps, size_t optimizers);

}  // namespace maya
