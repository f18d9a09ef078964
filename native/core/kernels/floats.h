// PyTorch's elementwise kernels on floating-point numbers, carried out where few numbers are known: what a
// program makes of a norm, a loss scale or a learning rate before it decides by it.
#pragma once

#include <cstdint>
#include <vector>

#include "maya/fatbin.h"

namespace maya {

enum class FloatOperation : uint8_t {
  none,
  square,
  cube,
  inverse_square,
  power,
  root,
  inverse_root,
  inverse,
  negate,
  absolute,
  add,
  multiply,
  divide,
  minimum,
  maximum,
  clamp,
  order,  // greater or equal, greater, less or equal, less
  equal,  // or not
  fill_masked,
  choose,
  either,
  both,
  invert,
};

// Which operand a number in the functor stands for.
enum class NumberFor : uint8_t { none, first, second };

struct FloatKernel {
  FloatOperation operation = FloatOperation::none;
  uint8_t width = 4;  // of the floating-point operands
  NumberFor number = NumberFor::none;
};

FloatKernel float_kernel(const char* mangled);

struct FloatResult {
  char* target = nullptr;
  std::vector<char> bytes;  // empty: nothing is known
  bool follows_norm = false;
};

// To be asked before what the kernel writes is forgotten, since it may write in place.
FloatResult evaluate(const FloatKernel& kernel, const KernelFacts& facts, const char* image);
void store(const FloatResult& result);

}  // namespace maya
