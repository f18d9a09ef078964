// Kernels outside TensorIterator that are carried out on small buffers or answered by a policy.
#pragma once

#include <cstddef>

#include "kernels/family.h"
#include "maya/fatbin.h"

namespace maya {

// Whether `perform` has something to do.
constexpr bool has_answer(ValueRule rule) {
  return rule > ValueRule::reduction;
}

// Carries the kernel out where its inputs are known. `image` holds the parameters, pointers unmasked.
void perform(const Family& family, const char* mangled, const KernelFacts& facts, const char* image,
             const unsigned grid[3]);

}  // namespace maya
