// Waits for other ranks, as the job's virtual clock (native/clock) is told of them.
#pragma once

#include "../clock/clock.h"

namespace maya {

// Set before the program begins; null in a run with the real clock.
extern const MayaClock* virtual_clock;

// While it lives, this thread waits for another rank, and sleepers of its own must not move the time.
class AwaitsRank {
 public:
  AwaitsRank() { tell(1); }
  ~AwaitsRank() { tell(-1); }
  AwaitsRank(const AwaitsRank&) = delete;

 private:
  static void tell(int threads) {
    if (virtual_clock) virtual_clock->await_ranks(threads);
  }
};

}  // namespace maya
