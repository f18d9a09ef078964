// Where the operands of a TensorIterator kernel stand in memory, read from its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fixed_list.h"
#include "kernels/family.h"
#include "kernels/layouts/structs.h"
#include "kernels/values/element.h"
#include "maya/fatbin.h"

namespace maya {

constexpr size_t kMostOperands = 4;  // of kernels that are evaluated, the result among them

// at::native's OffsetCalculator: sizes from the innermost dimension on, strides of every operand.
class Offsets {
 public:
  Offsets() = default;
  // Of `operands` at `at`; strides are in units of `unit` bytes each (1 where they are in bytes).
  static Offsets read(const char* at, size_t operands);
  static constexpr size_t bytes_of(size_t operands) { return layouts::calculator_bytes(operands); }
  static Offsets contiguous(size_t count, size_t operands);

  bool plausible() const { return plausible_; }
  size_t offset(size_t index, size_t operand) const;
  // The largest offset of any element.
  size_t last(size_t operand) const;
  void scale(size_t operand, size_t unit);

 private:
  struct Dimension {
    size_t size;
    size_t strides[kMostOperands];
  };
  FixedList<Dimension, layouts::kCalculator.sizes.count> dimensions_;
  bool plausible_ = true;
};

struct Operand {
  uintptr_t address = 0;
  Element stored = Element::none;
  size_t extent(const Offsets& offsets, size_t index) const;  // bytes that it covers
};

// An elementwise kernel's launch. The first operand is written.
struct ElementwiseLaunch {
  size_t count = 0;
  FixedList<Operand, kMostOperands> operands;
  Offsets offsets;
  const char* functor = nullptr;
  size_t functor_bytes = 0;
};

// How an elementwise kernel takes its operands.
enum class OperandForm : uint8_t {
  none,
  contiguous,       // vectorized_elementwise_kernel(int, F, array)
  unrolled,         // unrolled_elementwise_kernel(int, F, array, calculators, loader, storer)
  strided,          // elementwise_kernel(int, {OffsetCalculator, array, F})
  strided_casting,  // elementwise_kernel(int, {OffsetCalculator, array, F, types})
};

OperandForm operand_form(ValueRule rule);

// False where the parameters do not look as they should. `types`: of the result and the arguments, as the
// functor has them; `functor_bytes`: size of the functor object.
bool read_launch(OperandForm form, const KernelFacts& facts, const char* image,
                 const std::vector<Element>& types, size_t functor_bytes, ElementwiseLaunch* launch);

}  // namespace maya
