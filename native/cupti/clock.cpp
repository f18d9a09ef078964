#include "clock.h"

#include <atomic>
#include <ctime>

namespace maya::cupti {
namespace {

std::atomic<uint64_t (*)()> clock_callback{nullptr};
std::atomic<uint64_t> units_at_registration{0};
std::atomic<uint64_t> ns_at_registration{0};

uint64_t realtime_ns() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

void set_clock(uint64_t (*callback)()) {
  ns_at_registration = realtime_ns();
  units_at_registration = callback ? callback() : 0;
  clock_callback = callback;
}

bool counts_nanoseconds() {
  return !clock_callback.load();
}

uint64_t timestamp() {
  auto callback = clock_callback.load();
  return callback ? callback() : realtime_ns();
}

// PyTorch's callback reads the processor's cycle counter: its rate shows after a moment.
uint64_t clock_units(uint64_t ns) {
  auto callback = clock_callback.load();
  uint64_t elapsed_ns = realtime_ns() - ns_at_registration;
  if (!callback || elapsed_ns < 100000) return ns;
  double rate = static_cast<double>(callback() - units_at_registration) / static_cast<double>(elapsed_ns);
  return static_cast<uint64_t>(static_cast<double>(ns) * rate);
}

}  // namespace maya::cupti
