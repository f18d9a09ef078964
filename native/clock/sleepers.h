// Threads that let virtual time pass.
#pragma once

#include <cstdint>

#include "page.h"

namespace maya::clock {

// Returns when the job's time has come so far. Where no thread of the job can run, the sleeper with the
// earliest end moves the time there.
void sleep_until(Page& page, int64_t at_ns);

// Of all other threads of the job.
bool nobody_runs(const Page& page);

}  // namespace maya::clock
