// Kernels simple enough to be carried out on small buffers: their name and arguments tell everything.
#pragma once

#include <cstddef>

#include "maya/fatbin.h"

namespace maya {

enum class Trivial : unsigned char {
  no,
  fill,       // every element gets the functor's value
  cast_copy,  // element-wise conversion between contiguous buffers
};

Trivial trivial_kind(const char* mangled);

// Carries the kernel out where its inputs are known. `image` holds the parameters, pointers unmasked.
void perform(Trivial kind, const KernelFacts& facts, const char* image);

}  // namespace maya
