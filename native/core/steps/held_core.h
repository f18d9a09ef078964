// Keeps others from taking the core away while the pace of the host is told, where the machine allows it.
#pragma once

#include <cstdint>

namespace maya {

// The threads of this process come before everybody else's from now on, for `most_ns` at the longest
// (monotonic). Nothing happens without the right to a real-time priority. Told to the capture: what comes
// after it was not disturbed.
void hold_core(uint64_t most_ns);
// As before.
void release_core();

}  // namespace maya
