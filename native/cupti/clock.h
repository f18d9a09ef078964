// CUPTI's clock: nanoseconds since the epoch, or whatever the tool's own callback counts.
#pragma once

#include <cstdint>

namespace maya::cupti {

void set_clock(uint64_t (*callback)());
uint64_t timestamp();
// Whether no tool has set a clock of its own.
bool counts_nanoseconds();
// How far the clock moves in this time.
uint64_t clock_units(uint64_t ns);

}  // namespace maya::cupti
