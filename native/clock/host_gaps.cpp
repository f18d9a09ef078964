#include "host_gaps.h"

#include <algorithm>

namespace maya::clock {

int64_t HostGaps::believe(uint64_t place, int64_t gap_ns) {
  std::lock_guard<std::mutex> guard(lock_);
  Place& found = places_[place];
  found.gaps_ns[found.seen++ % kRemembered] = gap_ns;
  std::array<int64_t, kRemembered> sorted = found.gaps_ns;
  size_t count = std::min(found.seen, kRemembered), quarter = (count - 1) / 4;
  auto begin = sorted.begin(), end = begin + static_cast<long>(count);
  std::nth_element(begin, begin + static_cast<long>(quarter), end);
  return std::min(gap_ns, sorted[quarter]);
}

HostGaps& host_gaps() {
  static HostGaps* instance = new HostGaps;
  return *instance;
}

}  // namespace maya::clock
