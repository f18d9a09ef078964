// PyTorch's reductions (reduce_kernel), carried out where what they need is small and known.
#pragma once

#include <string_view>

#include "kernels/values/element.h"
#include "kernels/values/evaluation.h"
#include "kernels/values/operands.h"
#include "maya/fatbin.h"

namespace maya {

enum class Reduces : uint8_t {
  nothing,  // that is known
  all,
  any,
  sum,
  product,
  mean,
  maximum,
  minimum,
  maximum_with_place,  // two results: the value and its place
  minimum_with_place,
  place_of_maximum,
  place_of_minimum,
  least_absolute,
  count_nonzero,
  norm_two,  // from here on norms
  norm_one,
  norm_most,
  norm_other,  // of a power that the functor holds
};

// What a kernel's name tells; made once a kernel.
struct ReductionKernel {
  Reduces what = Reduces::nothing;
  Element input = Element::none;
  Element output = Element::none;
  bool narrow = false;  // what it accumulates takes at most two bytes

  bool is_norm() const { return what >= Reduces::norm_two; }
};

ReductionKernel reduction_kernel(std::string_view demangled);

// One launch, as its by-value ReduceOp tells.
struct ReductionLaunch {
  size_t inputs = 0;  // of one output
  size_t outputs = 0;
  Offsets within;  // one operand: the source
  Offsets across;  // results, source
  uintptr_t source = 0;
  uintptr_t targets[2] = {};
  const char* functor = nullptr;
};

bool read_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image,
                    ReductionLaunch* launch);

Evaluation evaluate_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image);

}  // namespace maya
