// What unknown values are taken to be where the host reads them. They stay unknown: what follows from one is
// itself only assumed, and every read of one is recorded.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "maya/record.h"

namespace maya {

// What the number stands for, which decides what it is taken to be.
enum class StandsFor : uint8_t {
  all,    // of a condition: holds, so that checks pass
  any,    // of a condition: does not hold, so that nothing is at fault
  count,  // of elements: half of them, at least one
  mean,   // or sum of real numbers: one, which is finite, positive and a divisor
  limit,  // of something unknown, or a function of it that is never zero: as if that were zero
  scale,  // of losses, which no overflow changes
};

struct Assumption {
  StandsFor stands_for = StandsFor::all;
  bool real = false;
  uint8_t width = 0;  // bytes
  char bytes[8] = {};
};

class Assumptions {
 public:
  void set(uintptr_t address, const Assumption& assumption);
  bool find(uintptr_t address, Assumption* found);
  // Those of elements that begin in the range, with their addresses.
  std::vector<std::pair<uintptr_t, Assumption>> within(uintptr_t address, size_t bytes);
  void forget_range(uintptr_t address, size_t bytes);

 private:
  std::mutex lock_;
  std::map<uintptr_t, Assumption> elements_;
  std::atomic<size_t> count_{0};  // nearly always zero, and then nobody has to wait
};

Assumptions& assumptions();

// "all of it: true", as the summary says what was answered.
std::string describe(const Assumption& assumption);

}  // namespace maya

// Called from inside the program.
extern "C" {
// `number` is `width` bytes, a floating-point number where `real` is not 0; what it stands for as above.
MAYA_EXPORT void maya_assume(const void* address, const void* number, size_t width, int real, int stands_for);
// Copies what is known or assumed of a number; 0 where nothing is.
MAYA_EXPORT int maya_likely(void* to, const void* address, size_t width);
}
