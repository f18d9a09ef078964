// The system's own functions behind those that this library replaces.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <cstdint>

namespace maya::clock {

// A function of the same name further down. Some have several versions, of which dlsym may give an old one.
template <typename Function>
Function* next(const char* name, const char* version = nullptr) {
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return reinterpret_cast<Function*>(found ? found : dlsym(RTLD_NEXT, name));
}

inline int real_gettime(clockid_t clock, timespec* time) {
  static auto* const function = next<int(clockid_t, timespec*)>("clock_gettime");
  return function(clock, time);
}

inline uint64_t to_ns(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

inline timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
}

inline uint64_t real_ns(clockid_t clock) {
  timespec time{};
  real_gettime(clock, &time);
  return to_ns(time);
}

inline void real_sleep(uint64_t ns) {
  static auto* const function = next<int(const timespec*, timespec*)>("nanosleep");
  timespec time = to_timespec(ns);
  function(&time, nullptr);
}

}  // namespace maya::clock
