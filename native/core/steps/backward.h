// The gradients of this process.
#pragma once

#include <cstdint>

#include "steps/gradients.h"

namespace maya {

GradientWatch& gradient_watch();
// Whether this is one of the threads on which PyTorch runs backward.
bool on_backward_thread();

// Something other than a kernel (a library, a copy, a collective) wrote at a device address.
void device_written(uintptr_t address);
// Takes note of a launch on this thread; true when it reads a gradient outside backward.
bool applies_gradient(const Operands& operands);

}  // namespace maya
