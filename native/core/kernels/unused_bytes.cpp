#include "kernels/unused_bytes.h"

#include <cstring>

#include "kernels/recipe.h"

namespace maya {
namespace {

using layouts::calculator_bytes;
using layouts::ConcatenationLayout;
using layouts::kCalculator;
using layouts::kReduceOp;
using layouts::TensorInfoLayout;

constexpr size_t kMostDims = kCalculator.sizes.count;

// Clears the elements of an array from the `used`-th on.
void clear_rest(char* at, const layouts::Field& array, size_t used, size_t together = 1) {
  size_t width = array.element_bytes * together;
  std::memset(at + array.at + used * width, 0, (array.count - used) * width);
}

// Clears what stands behind the last dimension; false when this is no OffsetCalculator.
bool clear_calculator(char* at, size_t operands) {
  uint32_t dims;
  std::memcpy(&dims, at, sizeof dims);
  if (dims > kMostDims) return false;
  clear_rest(at, kCalculator.sizes, dims);
  clear_rest(at, kCalculator.strides, dims, operands);
  return true;
}

void clear_offsets(const KernelFacts& facts, char* image) {
  if (facts.params.size() != 2) return;
  const KernelParam& lambda = facts.params[1];
  // The calculator, then an address for each operand; a functor of less than another operand's share follows.
  if (lambda.size < calculator_bytes(1)) return;
  size_t share = calculator_bytes(2) - calculator_bytes(1) + sizeof(void*);
  size_t operands = (lambda.size - kCalculator.strides.at) / share;
  clear_calculator(image + lambda.offset, operands);
}

// The second result may not be there; behind two flags stands padding.
void clear_results(char* source) {
  auto behind_source = [](uint32_t at) { return at - kReduceOp.src.at; };
  int32_t results;
  std::memcpy(&results, source + behind_source(kReduceOp.noutputs.at), sizeof results);
  uint32_t second = kReduceOp.dst.at + kReduceOp.dst.element_bytes;
  if (results == 1) std::memset(source + behind_source(second), 0, kReduceOp.dst.element_bytes);
  uint32_t padding = kReduceOp.final_output.at + kReduceOp.final_output.element_bytes;
  std::memset(source + behind_source(padding), 0, kReduceOp.noutputs.at - padding);
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

void clear_unused(const ConcatenationLayout& layout, size_t used, char* at) {
  const char* contiguous = at + layout.contiguous.at;
  constexpr size_t kSizesAndStrides = 8;
  size_t shapes = layout.shape.count / kSizesAndStrides,
         shape_bytes = kSizesAndStrides * layout.shape.element_bytes;
  for (size_t i = 0; i < shapes; ++i) {
    bool filled = shapes > 1 && i < used && !contiguous[i];
    if (!filled) std::memset(at + layout.shape.at + i * shape_bytes, 0, shape_bytes);
  }
  for (const layouts::Field& list :
       {layout.input, layout.offset, layout.size, layout.elements, layout.contiguous}) {
    clear_rest(at, list, used);
  }
}

bool clear_concatenation(const KernelFacts& facts, size_t used, char* image) {
  if (facts.params.size() < 2) return false;
  const KernelParam& inputs = facts.params[1];
  for (const ConcatenationLayout& layout : layouts::kConcatenationLayouts) {
    if (layout.bytes != inputs.size || used > layout.input.count) continue;
    clear_unused(layout, used, image + inputs.offset);
    return true;
  }
  return false;
}

// False when this is no TensorInfo.
bool clear_info(char* at, const TensorInfoLayout& layout) {
  uint32_t dims;
  std::memcpy(&dims, at + layout.dims.at, sizeof dims);
  if (dims > layout.sizes.count) return false;
  clear_rest(at, layout.sizes, dims);
  clear_rest(at, layout.strides, dims);
  size_t padding = layout.dims.at + sizeof dims;
  std::memset(at + padding, 0, layout.bytes - padding);
  return true;
}

bool clear_tensors(const KernelFacts& facts, char* image) {
  bool cleared = false;
  for (const KernelParam& param : facts.params) {
    for (const TensorInfoLayout& layout : layouts::kTensorInfoLayouts) {
      if (param.size == layout.bytes && clear_info(image + param.offset, layout)) cleared = true;
    }
  }
  return cleared;
}

bool clear_addresses(const KernelFacts& facts, size_t used, char* image) {
  if (facts.params.size() < 2) return false;
  const KernelParam& list = facts.params[1];
  size_t bytes = used * sizeof(void*);
  if (bytes > list.size) return false;
  std::memset(image + list.offset + bytes, 0, list.size - bytes);
  return true;
}

}  // namespace

UnusedBytes unused_bytes_of(ArgumentReader reader, const char* mangled) {
  if (reader == ArgumentReader::strided) return UnusedBytes::offsets;
  if (reader == ArgumentReader::reduction) return UnusedBytes::reduction;
  if (reader == ArgumentReader::concatenation) return UnusedBytes::concatenation;
  if (std::strstr(mangled, "10TensorInfoI")) return UnusedBytes::tensors;
  if (std::strstr(mangled, "19TensorListAddresses")) return UnusedBytes::addresses;
  return UnusedBytes::none;
}

bool clear_unused_bytes(UnusedBytes unused, const KernelFacts& facts, const unsigned grid[3], char* image,
                        size_t image_bytes) {
  if (unused == UnusedBytes::none) return false;
  for (const KernelParam& param : facts.params) {
    if (param.offset + param.size > image_bytes) return false;
  }
  switch (unused) {
    case UnusedBytes::offsets:
      clear_offsets(facts, image);
      return false;  // functors hold scalars that may change with every step
    case UnusedBytes::reduction:
      return clear_reduction(facts, image);
    case UnusedBytes::concatenation:
      return clear_concatenation(facts, grid[1], image);
    case UnusedBytes::tensors:
      return clear_tensors(facts, image);
    case UnusedBytes::addresses:
      return clear_addresses(facts, grid[0], image);
    default:
      return false;
  }
}

}  // namespace maya
