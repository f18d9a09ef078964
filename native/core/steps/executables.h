// Programs that launch whole executables (JAX: XLA's compiler made them) instead of operators. Each launch
// begins a range that names the executable.
//
// A run is cut where the executable that has done the most work so far begins again: a training step, or a
// micro-batch, of which many and an update then repeat together. Small ones (a loss that is printed now and
// then) tell nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace maya {

class Executables {
 public:
  // `executable` is launched by this thread. Where one is launched on several devices, each has a thread.
  void begin(uint64_t executable, uint64_t thread);
  void add_work(size_t amount);
  bool seen() const { return !known_.empty(); }
  // Asked before each piece of work: what has been launched since the last cut, where a cut is.
  std::optional<uint64_t> cut();

 private:
  struct Executable {
    uint64_t thread;
    size_t launches = 0;
    size_t work = 0;
  };
  bool counts(const Executable& executable) const;

  std::unordered_map<uint64_t, Executable> known_;
  Executable* running_ = nullptr;
  Executable* most_ = nullptr;  // the one that has done the most work
  uint64_t launched_ = 0;       // hash of those since the last cut
  std::optional<uint64_t> cut_;
};

// The number of the executable whose launch this range is.
std::optional<uint64_t> launched_executable(const char* range);

}  // namespace maya
