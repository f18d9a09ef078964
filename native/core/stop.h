// Ending the program once enough has been seen.
#pragma once

#include "recorder.h"

namespace maya {

// Closes the capture and asks the program to end: a Python program by SystemExit in its main thread, any
// other by exit(). Does nothing more than ask again when called again.
void stop_run(EndReason reason);

}  // namespace maya
