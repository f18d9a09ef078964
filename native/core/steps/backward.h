// Where gradients go: from autograd's threads, which make them, to whoever applies them.
//
// An optimiser written with plain tensor operations has no kernel of its own, but it must read what backward
// made, and nothing else outside backward does: forward reads weights and its own results, a further
// micro-batch accumulates on autograd's threads. So the first such read after a backward begins a new piece
// of work, whatever the optimiser is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maya {

// Something other than a kernel (a library, a copy, a collective) wrote at a device address.
void device_written(uintptr_t address);

// The operands of one kernel launch.
class Operands {
 public:
  void reads(uintptr_t address);
  void writes(uintptr_t address);
  void touches(uintptr_t address);  // reads or writes, nobody knows
  // Takes note of the launch; true when it reads a gradient outside backward.
  bool read_gradient() const;

 private:
  static constexpr size_t kMost = 16;  // of each; kernels with longer lists are not told apart by them
  uintptr_t read_[kMost];
  uintptr_t written_[kMost];
  uintptr_t touched_[kMost];
  size_t reads_ = 0;
  size_t writes_ = 0;
  size_t touches_ = 0;
};

// Gradients made so far have been seen to be read: only later ones count.
void forget_gradients();
// Optimisers are recognised by name in this program, or nobody looks for steps any more.
void stop_watching_gradients();
bool watching_gradients();
// Whether this is one of the threads on which PyTorch runs backward.
bool on_backward_thread();

}  // namespace maya
