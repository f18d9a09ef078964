// Steps of which no two are the same.
#pragma once

#include <cstddef>

#include "steps/pieces.h"

namespace maya {

// How many of the last pieces do about as much, where as many as it takes to believe it do; else 0.
size_t pieces_alike(const Pieces& pieces, size_t wanted_steps);

}  // namespace maya
