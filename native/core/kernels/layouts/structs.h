// By-value structs that every version lays out alike, and what readers count from them.
#pragma once

#include <cstddef>

#include "../../../gen/torch/layouts.h"

namespace maya::layouts {

// OffsetCalculator<n>: int dims; IntDivider sizes[]; uint32 strides[][n]. Only the strides depend on n.
inline constexpr const OffsetCalculatorLayout& kCalculator = kOffsetCalculatorLayouts[0];

constexpr size_t calculator_bytes(size_t operands) {
  return kCalculator.strides.at + kCalculator.strides.count * kCalculator.strides.element_bytes * operands;
}
static_assert(calculator_bytes(1) == kOffsetCalculatorLayouts[0].bytes);
static_assert(calculator_bytes(3) == kOffsetCalculatorLayouts[2].bytes);

// ReduceOp: functor and identity, whose size varies, before all else; so addresses are counted from its end.
inline constexpr const ReductionLayout& kReduceOp = kReductionLayouts[0];

constexpr size_t from_end(const ReductionLayout& layout, const Field& field) {
  return layout.bytes - field.at;
}
inline constexpr size_t kReduceSource = from_end(kReduceOp, kReduceOp.src);
static_assert(from_end(kReductionLayouts[1], kReductionLayouts[1].src) == kReduceSource);
static_assert(from_end(kReductionLayouts[1], kReductionLayouts[1].noutputs) ==
              from_end(kReduceOp, kReduceOp.noutputs));

}  // namespace maya::layouts
