// Finds the training step in the sequence of device work and ends the run after enough of them.
//
// A script's smallest repeating unit need not be its step: with gradient accumulation the micro-batches
// repeat, before training an evaluation does. What sets a step apart is that weights change. So the sequence
// is cut wherever an optimiser's work ends. Where no kernel bears an optimiser's name, PyTorch's optimisers
// say themselves when they have stepped (maya_inside/optimizers.py); where the program has none, it is cut
// wherever the use of gradients begins (backward.h). The pieces are compared by a hash of their work, and the
// run is steady when the last pieces repeat with some period (two pieces a step for a GAN, more where
// clipping also cuts).
#pragma once

#include "submit.h"

namespace maya {

// Called for every piece of device work, in order. Thread-safe.
void observe_work(const WorkKey& key);

// Whether a kernel of this name changes weights.
bool name_updates_weights(const char* mangled);

}  // namespace maya

// Called from inside the program.
extern "C" {
MAYA_EXPORT void maya_optimizer_made();
MAYA_EXPORT void maya_optimizer_stepped();
}
