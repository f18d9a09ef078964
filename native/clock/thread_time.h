// The virtual time of the calling thread.
#pragma once

#include <cstdint>

#include "page.h"

namespace maya::clock {

int64_t now_ns(Page& page);
void enter(Page& page);
void leave(Page& page);
// The call under way was recorded at this place of the program.
void settle(Page& page, uint64_t place);
void spend(Page& page, int64_t ns);
// CPU time of this machine as the target's host would take it.
int64_t at_pace(uint64_t cpu_ns);
void wait_until(Page& page, int64_t at_ns);

}  // namespace maya::clock
