// The job's virtual clock (native/clock), where it has one.
#pragma once

#include <cstdint>

#include "../../clock/clock.h"
#include "maya/record.h"

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

// The real library would take so long for a call of this kind, on the target's host.
void spend_call(Kind kind);

// A call of this definition is recorded: the CPU time before it is what usually passes there.
void settle_call(uint32_t definition);

}  // namespace maya
