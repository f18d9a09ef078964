// Where in the program device work is asked for, as the code inside Python tells it during one step.
#pragma once

#include <cstdint>

#include "maya/record.h"

namespace maya {

// Asks for the place of the work that this thread has just recorded; nothing where nobody listens.
void ask_for_place();

}  // namespace maya

extern "C" {
// Called from inside the program. The listener takes Python's lock: no lock of ours may be held when it is
// asked. Null: nobody listens.
MAYA_EXPORT void maya_listen_for_places(void (*listener)());
// The answer: line and module of the program, and what `phase` of a step it is. `number` is PyTorch's
// sequence number, which ties a node of backward to the operator of forward that made it.
MAYA_EXPORT void maya_tell_place(const char* line, const char* module, const char* phase, uint64_t number);
}
