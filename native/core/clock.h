// Clocks of the host side.
#pragma once

#include <ctime>

#include <cstdint>

namespace maya {

inline uint64_t read_clock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

inline uint64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}

}  // namespace maya
