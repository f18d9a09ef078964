// The step detector of this process: fed by its launches and optimisers, it ends the run after enough steps.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "steps/work.h"

namespace maya {

// Called for every piece of device work, in order. Thread-safe.
void observe_work(const WorkKey& work);
// The host has waited for the device. Thread-safe.
void observe_wait();
// The program has begun a range, or set a mark, of this name. Thread-safe.
void observe_range(const char* name);
// The program ends: the last chance to find a step.
void conclude_steps();

}  // namespace maya

// Called from inside the program.
extern "C" {
MAYA_EXPORT void maya_optimizer_made();
MAYA_EXPORT void maya_optimizer_stepped();
MAYA_EXPORT void maya_range_begun(const char* name);
}
