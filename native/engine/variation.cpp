// Durations that vary from rank to rank: noise of every piece of work, and devices that are slow altogether.
#include <algorithm>

#include "mixed.h"
#include "simulation.h"

namespace maya::engine {
namespace {

constexpr uint64_t kTransfers = ~uint64_t{0};  // stands for the rank where ranks work together

// Close to normal: the sum of four uniform numbers, in 1/65536 of its standard deviation, within 3.5 of them.
int64_t deviation(uint64_t bits) {
  constexpr int64_t kMean = 4 * 65535 / 2;
  constexpr int64_t kPerDeviation = 113512;  // sqrt(3), in 1/65536: the sum's own deviation is 1/sqrt(3)
  int64_t sum = 0;
  for (int lane = 0; lane < 4; ++lane) sum += static_cast<int64_t>(bits >> (16 * lane) & 0xffff);
  return (sum - kMean) * kPerDeviation / 65536;
}

}  // namespace

// Depends on nothing but its arguments, so the order of events does not matter.
int64_t Simulation::varied(int64_t duration_ns, uint64_t who, uint64_t what) const {
  if (!s_.jitter) return duration_ns;
  uint64_t bits = mixed(mixed(static_cast<uint64_t>(s_.seed) ^ mixed(who)) ^ what);
  int64_t factor = 65536 + s_.jitter * deviation(bits) / 65536;
  return duration_ns * std::max<int64_t>(factor, 0) / 65536;
}

int64_t Simulation::varied_work_ns(int32_t rank, int32_t call) const {
  int64_t duration = p_.duration_ns[call];
  if (s_.rank_slowness) duration = duration * s_.rank_slowness[rank] / 65536;
  return varied(duration, static_cast<uint64_t>(rank), static_cast<uint64_t>(call));
}

int64_t Simulation::transfer_ns(int32_t number) const {
  return varied(p_.transfer_ns[number], kTransfers, static_cast<uint64_t>(number));
}

}  // namespace maya::engine
