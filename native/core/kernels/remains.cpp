#include "kernels/remains.h"

#include <cstring>

#include "kernels/recipe.h"

namespace maya {
namespace {

constexpr size_t kMostDims = 25;
constexpr size_t kDivider = 12;  // IntDivider: divisor, magic number, shift
constexpr size_t kSizes = 4;     // OffsetCalculator: int dims; IntDivider sizes[25]; uint32 strides[25][n]
constexpr size_t kStrides = kSizes + kMostDims * kDivider;

size_t calculator_bytes(size_t operands) {
  return kStrides + kMostDims * operands * 4;
}

// Clears what stands behind the last dimension; false when this is no OffsetCalculator.
bool clear_calculator(char* at, size_t operands) {
  uint32_t dims;
  std::memcpy(&dims, at, sizeof dims);
  if (dims > kMostDims) return false;
  std::memset(at + kSizes + dims * kDivider, 0, (kMostDims - dims) * kDivider);
  std::memset(at + kStrides + dims * operands * 4, 0, (kMostDims - dims) * operands * 4);
  return true;
}

void clear_offsets(const KernelFacts& facts, char* image) {
  if (facts.params.size() != 2) return;
  const KernelParam& lambda = facts.params[1];
  // The calculator, then an address for each operand; a functor of less than another operand's share follows.
  if (lambda.size < calculator_bytes(1)) return;
  size_t operands = (lambda.size - kStrides) / (kMostDims * 4 + 8);
  clear_calculator(image + lambda.offset, operands);
}

// Source, two results of which the second may not be there, buffers; at the end two bools and how many
// results.
void clear_results(char* source) {
  int32_t results;
  std::memcpy(&results, source + kReduceSource - 4, 4);
  if (results == 1) std::memset(source + 16, 0, 8);
  std::memset(source + kReduceSource - 6, 0, 2);
}

// Counted from the end, where the addresses stand: what comes before depends on the functor's size.
bool clear_reduction(const KernelFacts& facts, char* image) {
  if (facts.params.size() != 1) return false;
  const KernelParam& op = facts.params[0];
  const size_t calculators = calculator_bytes(1) + calculator_bytes(2);
  if (op.size < kReduceSource + calculators + 8) return false;
  for (size_t padding : {4, 0}) {
    size_t input = op.size - kReduceSource - padding - calculators;
    char* at = image + op.offset + input;
    uint32_t dims[2];
    std::memcpy(&dims[0], at, 4);
    std::memcpy(&dims[1], at + calculator_bytes(1), 4);
    if (dims[0] > kMostDims || dims[1] > kMostDims) continue;
    clear_calculator(at, 1);
    clear_calculator(at + calculator_bytes(1), 2);
    if (padding) std::memset(at + calculators, 0, padding);
    std::memset(at - 7, 0, 3);  // behind a bool of the config, which an int ends
    clear_results(image + op.offset + op.size - kReduceSource);
    return true;
  }
  return false;
}

// Of `count` inputs: address, offset, size along the dimension, elements; whether contiguous; and for
// `shapes` of them (all or one) four sizes and four strides, filled for those that are not contiguous.
struct InputLists {
  size_t count, index, shapes;
  size_t flags() const { return count * (8 + 3 * index); }
  size_t shapes_at() const { return (flags() + count + index - 1) / index * index; }
  size_t bytes() const { return (shapes_at() + shapes * 8 * index + 7) / 8 * 8; }
};

void clear_unused(const InputLists& lists, size_t used, char* at) {
  std::memset(at + used * 8, 0, (lists.count - used) * 8);
  for (size_t list = 0; list < 3; ++list) {
    char* start = at + lists.count * 8 + list * lists.count * lists.index;
    std::memset(start + used * lists.index, 0, (lists.count - used) * lists.index);
  }
  char* contiguous = at + lists.flags();
  std::memset(contiguous + used, 0, lists.count - used);
  for (size_t i = 0; i < lists.shapes; ++i) {
    bool filled = lists.shapes > 1 && i < used && !contiguous[i];
    if (!filled) std::memset(at + lists.shapes_at() + i * 8 * lists.index, 0, 8 * lists.index);
  }
}

bool clear_concatenation(const KernelFacts& facts, size_t used, char* image) {
  if (facts.params.size() < 2) return false;
  const KernelParam& inputs = facts.params[1];
  for (size_t count : {128, 64, 32, 16}) {
    for (size_t index : {4, 8}) {
      for (size_t shapes : {size_t{1}, count}) {
        InputLists lists{count, index, shapes};
        if (lists.bytes() != inputs.size || used > count) continue;
        clear_unused(lists, used, image + inputs.offset);
        return true;
      }
    }
  }
  return false;
}

// TensorInfo<T, Index>: T* data; Index sizes[25]; Index strides[25]; int dims; its size tells Index.
size_t info_bytes(size_t index) {
  return (8 + 2 * kMostDims * index + 4 + 7) / 8 * 8;
}

// False when this is no TensorInfo.
bool clear_info(char* at, size_t index) {
  char* end = at + 8 + 2 * kMostDims * index;
  uint32_t dims;
  std::memcpy(&dims, end, sizeof dims);
  if (dims > kMostDims) return false;
  for (char* list : {at + 8, at + 8 + kMostDims * index}) {
    std::memset(list + dims * index, 0, (kMostDims - dims) * index);
  }
  std::memset(end + 4, 0, 4);  // padding
  return true;
}

bool clear_tensors(const KernelFacts& facts, char* image) {
  bool cleared = false;
  for (const KernelParam& param : facts.params) {
    for (size_t index : {4, 8}) {
      if (param.size == info_bytes(index) && clear_info(image + param.offset, index)) cleared = true;
    }
  }
  return cleared;
}

}  // namespace

Remains remains_of(const char* mangled) {
  if (std::strstr(mangled, "18elementwise_kernel")) return Remains::offsets;
  if (std::strstr(mangled, "13reduce_kernel")) return Remains::reduction;
  if (std::strstr(mangled, "CatArrayBatchedCopy")) return Remains::concatenation;
  if (std::strstr(mangled, "10TensorInfoI")) return Remains::tensors;
  return Remains::none;
}

bool clear_remains(Remains remains, const KernelFacts& facts, const unsigned grid[3], char* image,
                   size_t image_bytes) {
  for (const KernelParam& param : facts.params) {
    if (param.offset + param.size > image_bytes) return false;
  }
  switch (remains) {
    case Remains::offsets:
      clear_offsets(facts, image);
      return false;  // functors hold scalars that may change with every step
    case Remains::reduction:
      return clear_reduction(facts, image);
    case Remains::concatenation:
      return clear_concatenation(facts, grid[1], image);
    case Remains::tensors:
      return clear_tensors(facts, image);
    default:
      return false;
  }
}

}  // namespace maya
