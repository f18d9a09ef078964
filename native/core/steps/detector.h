// Finds the training step in the sequence of device work and ends the run after enough of them.
//
// A script's smallest repeating unit need not be its step: with gradient accumulation the micro-batches
// repeat, before training an evaluation does, in every pass the layers. What sets a step apart is that
// weights change. So the sequence is cut wherever an optimiser has stepped. PyTorch's optimisers say so
// themselves (maya_inside/optimizers.py); others are known by their kernels' names; where there are none, it
// is cut wherever the use of gradients begins (backward.h). The pieces are compared by a hash of their work,
// and the run is steady when the last pieces repeat with some period (two pieces a step for a GAN).
//
// A program that changes no weights is steady when most of all that it has done, and for a good while,
// repeats.
#pragma once

#include "submit.h"

namespace maya {

// Called for every piece of device work, in order. Thread-safe.
void observe_work(const WorkKey& key);

Update update_by_name(const char* mangled);

}  // namespace maya

// Called from inside the program.
extern "C" {
MAYA_EXPORT void maya_optimizer_made();
MAYA_EXPORT void maya_optimizer_stepped();
}
