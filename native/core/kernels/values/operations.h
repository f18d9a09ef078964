// What PyTorch's elementwise functors compute, by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/values/element.h"

namespace maya {

// The numbers that a functor object carries.
template <typename T>
struct Held {
  int32_t choice = 0;  // which comparison, which limits
  T numbers[2] = {};
};

// What decides the result although other operands are unknown.
enum class Decides : uint8_t {
  nothing,
  zero,       // an operand that is zero gives zero: products of integers, logical and bitwise and
  nonzero,    // an operand that is not zero gives one: logical or
  condition,  // the first operand tells which of the other two is taken
  mask,       // the second operand tells whether the held number is taken
};

struct Operation {
  const char* name;
  size_t operands;     // of the functor
  bool gives_boolean;  // rather than the type of its operands
  const char* held;    // c: a choice; n: a number as it is computed with; t: as it is stored
  Decides decides;
  bool divides;  // by its second operand: undefined for integers where that is zero
  int64_t (*on_integers)(const int64_t* in, const Held<int64_t>& held);
  double (*on_reals)(const double* in, const Held<double>& held);
};

// `name` as in "MulFunctor", "exp_kernel_cuda", or "pow_tensor_scalar_kernel_impl#4", where lambdas of one
// function do different things. Null for what is not known.
const Operation* find_operation(std::string_view name, size_t operands);

// Of a bool the complement is the negation, and one that is true decides what it is part of.
std::string_view name_for_booleans(std::string_view name);
// Of copies whose functor returns another type than it takes, as their name or its template arguments tell;
// none for all others.
Element converts_to(std::string_view name, const std::vector<std::string_view>& types);
// Whether values pass as they are, whatever they are.
bool is_copy(const Operation& operation);
// Whether the result lies within limits, or is never zero, whatever the operands are.
bool limits(const Operation& operation);

}  // namespace maya
