// How far the addresses of one launch reach. A kernel moves hardly more than lies behind them, which tells
// sizes that were misread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder.h"

namespace maya {

class Reach final : public LateValue {
 public:
  void clear() { count_ = 0; }
  void add(uintptr_t address) {
    if (count_ < kMost) addresses_[count_] = address;
    ++count_;
  }
  // From the lowest address in each allocation to its end, in all; 0 where there are too many to tell.
  int64_t value() const override;

 private:
  static constexpr size_t kMost = 1100;  // the longest list of tensors has 1,050 addresses
  uintptr_t addresses_[kMost];
  size_t count_ = 0;
};

}  // namespace maya
