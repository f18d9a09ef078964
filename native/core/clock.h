// Clocks of the host side: the machine's own, also where the program is shown a virtual one.
#pragma once

#include <ctime>

#include <cstdint>

namespace maya {

// The C library's clock_gettime, past whatever stands before it (native/clock).
extern int (*real_clock_gettime)(clockid_t, timespec*);

inline uint64_t read_clock(clockid_t clock) {
  timespec time;
  real_clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

// Not the C library's sleep, which would let virtual time pass.
void real_nap(uint64_t ns);

inline uint64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

}  // namespace maya
