// Kernels simple enough to be carried out on small buffers: their name and arguments tell everything.
#pragma once

#include <cstddef>

#include "maya/fatbin.h"

namespace maya {

enum class Trivial : unsigned char {
  no,
  fill,            // every element gets the functor's value
  cast_copy,       // element-wise conversion between contiguous buffers
  reduction,       // of int64 or floating-point elements: sizes that frameworks add up on the device, norms
  add,             // int64, tensor and tensor or tensor and number: offsets into joined byte strings
  compare,         // int64 against int64, element by element: which of two sizes is larger
  compare_scalar,  // int64 against a number: labels that count
  concatenate,     // one-dimensional: byte strings that object collectives join
  strided_copy,    // integers, from and to any layout
  // Not carried out, but answered by the routing policy where they concern a mixture of experts:
  route,
  histogram,
  begin_nonzero,
  count_nonzero,
  list_nonzero,
  // Answered by the policy for norms:
  norms_of_list,
};

Trivial trivial_kind(const char* mangled);

// Carries the kernel out where its inputs are known. `image` holds the parameters, pointers unmasked.
void perform(Trivial kind, const char* mangled, const KernelFacts& facts, const char* image,
             const unsigned grid[3]);

}  // namespace maya
