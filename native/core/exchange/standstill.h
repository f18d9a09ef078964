// Whether anything in this process, or below it, still goes on.
#pragma once

#include <cstdint>

namespace maya {

// Since when (monotonic) neither this process nor its descendants have used the CPU, read or written anything
// to speak of. To be asked about once a second, by one thread; `anew`: the time before now does not count.
// Threads that look at something now and then are no life: PyTorch's watchdogs do nothing else.
uint64_t standstill_since(bool anew);

}  // namespace maya
