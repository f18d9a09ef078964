#include "clock.h"

#include <dlfcn.h>

namespace maya {

int (*real_clock_gettime)(clockid_t, timespec*) = &clock_gettime;

namespace {

__attribute__((constructor)) void look_past_the_virtual_clock() {
  void* library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library ? dlsym(library, "clock_gettime") : nullptr;
  if (found) real_clock_gettime = reinterpret_cast<decltype(real_clock_gettime)>(found);
}

}  // namespace

}  // namespace maya
