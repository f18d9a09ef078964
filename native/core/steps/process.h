// The step detector of this process: fed by its launches and optimisers, it ends the run after enough steps.
#pragma once

#include <cstdint>

#include "maya/record.h"
#include "steps/work.h"

namespace maya {

// Called for every piece of device work, in order. Thread-safe.
void observe_work(const WorkKey& work);

}  // namespace maya

// Called from inside the program.
extern "C" {
MAYA_EXPORT void maya_optimizer_made();
MAYA_EXPORT void maya_optimizer_stepped();
}
