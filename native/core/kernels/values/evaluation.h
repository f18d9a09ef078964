// What is known of a launch's results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fixed_list.h"
#include "kernels/values/memory_view.h"

namespace maya {

struct Lost {
  uintptr_t address = 0;
  size_t bytes = 0;
};

struct Evaluation {
  // All that the kernel writes is among `lost` and `updates`. Otherwise every piece of memory that it may
  // write to is lost.
  bool bounded = false;
  FixedList<Lost, 2> lost;  // most kernels have one result, some a second
  std::vector<MemoryUpdate> updates;
  bool follows_norm = false;  // from one that was taken to be something
};

}  // namespace maya
