// PyTorch's elementwise kernels, carried out where what they need is small and known.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/values/evaluation.h"
#include "kernels/values/functor.h"
#include "kernels/values/operands.h"
#include "maya/fatbin.h"

namespace maya {

// What a kernel's name tells; made once a kernel.
struct ElementwiseKernel {
  OperandForm form = OperandForm::none;  // none: its parameters cannot be read
  Functor functor;
  HeldLayout held;
  std::vector<Element> types;  // of the result and the operands
  bool limits = false;         // what it gives is not zero where its operand is taken to be
};

ElementwiseKernel elementwise_kernel(ValueRule rule, std::string_view demangled);

// To be asked before anything is forgotten: a kernel may write over its own inputs.
Evaluation evaluate_elementwise(const ElementwiseKernel& kernel, const KernelFacts& facts, const char* image);

}  // namespace maya
