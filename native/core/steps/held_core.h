// Keeps a program on one core, and others off it, while the pace of its host is told, where that is allowed.
#pragma once

#include <cstdint>

namespace maya {

// The calling thread asks the device for something, so it is one of those that are held.
void join_held_core();
// These threads share one core and come before everybody else's, for `most_ns` at the longest
// (monotonic). Nothing happens without the right to a real-time priority. Told to the capture: what comes
// after it was not disturbed.
// `rank`: others on this machine take other cores; -1: alone, on the core where it is.
void hold_core(uint64_t most_ns, int rank);
// As before.
void release_core();

}  // namespace maya
