// The _ptsz and _ptds entry points mean the calling thread's own default stream where others mean the legacy
// one.
#pragma once

#include "constants.h"

namespace maya::driver {

inline void* own(void* stream) {
  return stream ? stream : per_thread_stream();
}

}  // namespace maya::driver
