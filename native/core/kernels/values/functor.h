// The functor of one of PyTorch's elementwise kernels, read from the kernel's demangled name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/values/element.h"
#include "kernels/values/operations.h"

namespace maya {

// Which operand of the operation is a number that the functor carries.
enum class Bound : uint8_t { none, first, second };

struct Functor {
  const Operation* operation = nullptr;  // null: not known
  std::vector<Element> arguments;        // types that the kernel's operands are converted to
  Element result = Element::none;
  Bound bound = Bound::none;
  Element bound_type = Element::none;
  Element computed = Element::none;  // type of the numbers that are held as they are computed with
  Element stored = Element::none;    // and of those held as they are stored
};

// `text`: "at::native::CUDAFunctor_add<long>", "...::exp_kernel_cuda(...)::...::{lambda(float)#1}", or one of
// these within AUnaryFunctor, BUnaryFunctor or BinaryFunctor.
Functor parse_functor(std::string_view text);

// The functor's own text in the demangled name of an elementwise kernel: its template argument `place`, or
// the first argument of the loop that stands there. Empty where there is none.
std::string_view functor_text(std::string_view kernel, size_t place, bool in_loop);

// Template arguments or parameters, split at commas outside brackets.
std::vector<std::string_view> split_list(std::string_view list);

// How many bytes the functor object takes, and where its parts stand.
struct HeldLayout {
  size_t choice = 0;
  size_t numbers[2] = {};
  Element types[2] = {Element::none, Element::none};
  size_t number_count = 0;
  size_t bound = 0;
  size_t bytes = 1;
};
HeldLayout held_layout(const Functor& functor);

}  // namespace maya
