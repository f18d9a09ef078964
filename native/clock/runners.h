// Which threads of the job can run, from /proc.
#pragma once

#include <cstdint>

#include "page.h"

namespace maya::clock {

// A thread that can run, other than the caller's. 0: there is none.
struct Runner {
  int32_t process = 0;
  long thread = 0;

  bool found() const { return thread != 0; }
};
Runner find_runner(const Page& page);

// CPU time of a thread so far; 0 where it has ended.
uint64_t cpu_ns(const Runner& runner);

}  // namespace maya::clock
