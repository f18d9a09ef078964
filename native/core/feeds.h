// What the program feeds to its model: batches that a loader delivers, tensors that come from the host.
#pragma once

#include <cstdint>

#include "maya/record.h"

// Called from inside the program. Read by src/maya/trace/feeds.py.
extern "C" {
// `samples` is 0 where the loader does not say; `unit` names what it delivers.
MAYA_EXPORT void maya_fed_batch(int64_t loader, int64_t samples, const char* unit);
MAYA_EXPORT void maya_fed_tensor(int64_t dimensions, const int64_t* sizes, int is_integer);
}
