// How long a process stood in the scheduler's queue.
#pragma once

#include <cstdint>

namespace maya {

// Nanoseconds that its threads, those that still live, have waited for a core; 0 where the kernel does not
// say.
uint64_t core_wait_ns();

}  // namespace maya
