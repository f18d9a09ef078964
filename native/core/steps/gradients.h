// Where gradients go: from autograd's threads, which make them, to whoever applies them.
//
// An optimiser written with plain tensor operations has no kernel of its own, but it must read what backward
// made, and nothing else outside backward does: forward reads weights and its own results, a further
// micro-batch accumulates on autograd's threads. So the first such read after a backward begins a new piece
// of work, whatever the optimiser is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace maya {

// The operands of one kernel launch.
class Operands {
 public:
  void reads(uintptr_t address) { read_.add(address); }
  void writes(uintptr_t address) { written_.add(address); }
  void touches(uintptr_t address) { touched_.add(address); }  // reads or writes, nobody knows

 private:
  friend class GradientWatch;
  class Addresses {
   public:
    void add(uintptr_t address) {
      if (count_ < kMost) all_[count_++] = address;
    }
    const uintptr_t* begin() const { return all_; }
    const uintptr_t* end() const { return all_ + count_; }
    bool has(uintptr_t address) const;

   private:
    static constexpr size_t kMost = 16;  // kernels with longer lists are not told apart by them
    uintptr_t all_[kMost];
    size_t count_ = 0;
  };
  Addresses read_, written_, touched_;
};

// Thread-safe, and nearly free until the first gradient.
class GradientWatch {
 public:
  // Something other than a kernel (a library, a copy, a collective) wrote at a device address.
  void written(uintptr_t address, bool in_backward);
  // Takes note of a launch; true when it reads a gradient outside backward.
  bool applies(const Operands& operands, bool in_backward);
  // Gradients made so far have been seen to be read: only later ones count.
  void forget();
  // Optimisers are recognised otherwise in this program, or nobody looks for steps any more.
  void stop() { watching_.store(false, std::memory_order_relaxed); }
  bool watching() const { return watching_.load(std::memory_order_relaxed); }

 private:
  bool concerned(bool in_backward) const {
    return watching() && (in_backward || any_.load(std::memory_order_relaxed));
  }
  bool read_outside_backward(const Operands& operands);

  std::mutex lock_;
  std::unordered_set<uintptr_t> made_;  // last written by backward
  std::atomic<bool> any_{false};        // read on every launch, without the lock
  std::atomic<bool> watching_{true};
};

}  // namespace maya
