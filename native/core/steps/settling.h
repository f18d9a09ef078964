// How long a program goes on after its steps were found, so that the pace of its host can be told.
#pragma once

#include <cstdint>

namespace maya {

// The first steps of a host are slow: caches are cold, an interpreter has yet to specialise its code. And
// what a call usually takes shows only when it has come many times. Short steps are therefore repeated until
// the process has worked for a while; long ones hold enough calls as they are.
class Settling {
 public:
  explicit Settling(uint64_t cpu_ns) : cpu_ns_(cpu_ns) {}

  // The steps were found. `cpu_ns`: CPU time of the process; `now_ns`: monotonic.
  void begin(uint64_t cpu_ns, uint64_t now_ns) {
    began_cpu_ns_ = cpu_ns;
    began_ns_ = now_ns;
  }
  // A process that waits for others, or for a core, must not keep them for ever.
  bool over(uint64_t cpu_ns, uint64_t now_ns) const {
    return cpu_ns - began_cpu_ns_ >= cpu_ns_ || now_ns - began_ns_ >= kPatience * cpu_ns_;
  }

 private:
  static constexpr uint64_t kPatience = 4;
  uint64_t cpu_ns_;
  uint64_t began_cpu_ns_ = 0;
  uint64_t began_ns_ = 0;
};

}  // namespace maya
