// NVTX: ranges and marks of the program, by whichever door they come (libnvToolsExt, the header-only NVTX 3).
#pragma once

#include <cstdint>

#include "maya/record.h"

namespace maya {

// An NVTX domain; null is the default one. Never freed: programs keep handles in static variables.
struct RangeDomain;
MAYA_EXPORT RangeDomain* create_range_domain(const char* name);

// Pushed ranges nest per thread and domain: the depth of the range begun or ended, from 0; negative when
// there is none.
MAYA_EXPORT int push_range(RangeDomain* domain, const char* text);
MAYA_EXPORT int pop_range(RangeDomain* domain);
// A range that may end on another thread.
MAYA_EXPORT uint64_t start_range(RangeDomain* domain, const char* text);
MAYA_EXPORT void end_range(RangeDomain* domain, uint64_t range);
MAYA_EXPORT void mark(RangeDomain* domain, const char* text);

// Strings: wide ones (as UTF-8), registered ones, and those inside nvtxEventAttributes_t. The result lives
// until the thread's next call.
MAYA_EXPORT const char* narrow_text(const wchar_t* text);
MAYA_EXPORT void* register_text(const char* text);
MAYA_EXPORT const char* attributes_text(const void* attributes);

}  // namespace maya
