// How long a program goes on after its steps were found, so that the pace of its host can be told.
#pragma once

#include <algorithm>
#include <cstdint>

namespace maya {

// The first steps of a host are slow: caches are cold, an interpreter has yet to specialise its code. And
// what a call usually takes shows only when it has come many times. Short steps are therefore repeated until
// the process has worked for a while; long ones hold enough calls as they are.
class Settling {
 public:
  using Clock = uint64_t (*)();

  // `waited_ns`: how long the process has waited for a core so far, of all its threads; slow to ask.
  Settling(uint64_t cpu_ns, Clock waited_ns) : cpu_ns_(cpu_ns), waited_ns_(waited_ns) {}

  // The steps were found. `cpu_ns`: CPU time of the process; `now_ns`: monotonic.
  void begin(uint64_t cpu_ns, uint64_t now_ns) {
    began_cpu_ns_ = cpu_ns;
    began_ns_ = now_ns;
    began_waited_ns_ = waited_ns_();
  }
  // A process that waits for others must not keep them for ever. One that waits for a core does what it
  // can: where the machine is crowded, the few passes of a short while would all be slow ones.
  bool over(uint64_t cpu_ns, uint64_t now_ns) const {
    if (cpu_ns - began_cpu_ns_ >= cpu_ns_) return true;
    uint64_t passed = now_ns - began_ns_;
    if (passed < kPatience * cpu_ns_) return false;
    if (passed >= kMostPatience * cpu_ns_) return true;
    return passed - std::min(passed, waited_ns_() - began_waited_ns_) >= kPatience * cpu_ns_;
  }

 private:
  static constexpr uint64_t kPatience = 4;
  static constexpr uint64_t kMostPatience = 40;
  uint64_t cpu_ns_;
  Clock waited_ns_;
  uint64_t began_cpu_ns_ = 0;
  uint64_t began_ns_ = 0;
  uint64_t began_waited_ns_ = 0;
};

}  // namespace maya
