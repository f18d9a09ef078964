// Kernels over TensorIterator's strided operands, carried out on small integer buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maya/fatbin.h"

namespace maya {

// at::native's OffsetCalculator as it stands in kernel parameters: strides in bytes.
template <size_t Operands>
struct OffsetTable {
  static constexpr size_t kMostDims = 25;
  struct Divider {
    uint32_t divisor, magic, shift;
  };
  int32_t dims;
  Divider sizes[kMostDims];
  uint32_t strides[kMostDims][Operands];

  bool plausible() const { return dims >= 0 && static_cast<size_t>(dims) <= kMostDims; }
  size_t offset(size_t index, size_t operand) const {
    size_t bytes = 0;
    for (int32_t dim = 0; dim < dims; ++dim) {
      size_t size = sizes[dim].divisor ? sizes[dim].divisor : 1;
      bytes += index % size * strides[dim][operand];
      index /= size;
    }
    return bytes;
  }
};

// Where the operands' addresses stand in a functor of `bytes` that begins with an index table; 0 where it
// does not. The unused part of the table holds leftovers of the stack, which may look like addresses.
size_t operands_behind_table(const char* functor, size_t bytes);

// A reduce_kernel, read from its by-value ReduceOp.
struct Reduction {
  size_t inputs;  // of one output
  size_t outputs;
  OffsetTable<1> within;
  OffsetTable<2> across;  // result, source
  char* source;
  char* target;

  // All inputs of `width` bytes, those of one output after another; false where any is unknown or there are
  // too many.
  bool gather(size_t width, std::vector<char>* values) const;
  void store(const char* results, size_t width) const;
};

bool read_reduction(const KernelFacts& facts, const char* image, Reduction* reduction);

// (int count, {OffsetCalculator<2>, std::array<char*, 2> {out, in}, functor})
void perform_strided_copy(const char* mangled, const KernelFacts& facts, const char* image);

}  // namespace maya
