#include "steps/gradients.h"

#include <algorithm>

namespace maya {

bool Operands::Addresses::has(uintptr_t address) const {
  return std::find(begin(), end(), address) != end();
}

void GradientWatch::written(uintptr_t address, bool in_backward) {
  if (!concerned(in_backward)) return;
  std::lock_guard<std::mutex> guard(lock_);
  if (!in_backward) {
    made_.erase(address);
    return;
  }
  made_.insert(address);
  any_ = true;
}

bool GradientWatch::applies(const Operands& operands, bool in_backward) {
  if (!concerned(in_backward)) return false;
  if (!in_backward) return read_outside_backward(operands);
  for (uintptr_t address : operands.written_) written(address, true);
  return false;
}

bool GradientWatch::read_outside_backward(const Operands& operands) {
  std::lock_guard<std::mutex> guard(lock_);
  bool found = false;
  // What is changed in place stays what it was: a scaled gradient is still one, and a counter that backward
  // advanced (in a recomputed forward) does not become one by being advanced again.
  for (uintptr_t address : operands.read_) {
    found |= !operands.written_.has(address) && made_.count(address);
  }
  for (uintptr_t address : operands.written_) {
    if (!operands.read_.has(address)) made_.erase(address);
  }
  // Memory is used again: what may have been overwritten since backward is no gradient for sure.
  for (uintptr_t address : operands.touched_) made_.erase(address);
  return found;
}

void GradientWatch::forget() {
  std::lock_guard<std::mutex> guard(lock_);
  made_.clear();
  any_ = false;
}

}  // namespace maya
