// For benchmarks only: what recording costs can be told within a few percent only by switching it on and off
// inside one process, since two processes differ by more than that among themselves.
#include "recorder.h"

extern "C" MAYA_EXPORT void maya_pause_recording(int pause) {
  maya::pause_recorder(pause != 0);
}
