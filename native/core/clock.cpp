#include "clock.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace maya {

int (*real_clock_gettime)(clockid_t, timespec*) = &clock_gettime;

namespace {

__attribute__((constructor)) void look_past_the_virtual_clock() {
  void* library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library ? dlsym(library, "clock_gettime") : nullptr;
  if (found) real_clock_gettime = reinterpret_cast<decltype(real_clock_gettime)>(found);
}

}  // namespace

void real_nap(uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace maya
