// Where the program saves a checkpoint: recorded, and kept out of its steps.
#pragma once

#include "maya/record.h"

namespace maya {

// Whether this thread is saving.
bool is_saving();

}  // namespace maya

// Called from inside the program; they nest.
extern "C" {
MAYA_EXPORT void maya_saving_began();
MAYA_EXPORT void maya_saving_ended();
}
