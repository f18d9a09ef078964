// CPU time between two calls, with the noise of the emulating machine taken out.
//
// Contention and warm-up only ever add, so what usually passes at a place of the program is a low quantile of
// what has passed there, as in the simulation (src/maya/simulator/host_cost.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace maya::clock {

class HostGaps {
 public:
  // Takes note of a gap; what is to be believed of it.
  int64_t believe(uint64_t place, int64_t gap_ns);

 private:
  static constexpr size_t kRemembered = 16;
  struct Place {
    std::array<int64_t, kRemembered> gaps_ns;
    size_t seen = 0;
  };
  std::mutex lock_;
  std::unordered_map<uint64_t, Place> places_;
};

HostGaps& host_gaps();

}  // namespace maya::clock
