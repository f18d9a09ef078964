#include "kernels/values/operands.h"

#include <algorithm>
#include <cstring>

#include "kernels/read.h"
#include "maya/memory.h"

namespace maya {
namespace {

using layouts::kCalculator;

size_t align(size_t at, size_t unit) {
  return (at + unit - 1) / unit * unit;
}

bool read_addresses(const char* at, ElementwiseLaunch* launch) {
  for (size_t i = 0; i < launch->operands.size(); ++i) {
    launch->operands[i].address = read<uintptr_t>(at + 8 * i);
    if (!is_device_address(launch->operands[i].address)) return false;
  }
  return true;
}

void scale_by_width(ElementwiseLaunch* launch) {
  for (size_t i = 0; i < launch->operands.size(); ++i) {
    launch->offsets.scale(i, width_of(launch->operands[i].stored));
  }
}

// (int count, F, std::array<char*, n>)
bool read_contiguous(const KernelFacts& facts, const char* image, ElementwiseLaunch* launch) {
  if (facts.params.size() < 3 || facts.params[2].size != 8 * launch->operands.size()) return false;
  launch->functor = image + facts.params[1].offset;
  launch->functor_bytes = facts.params[1].size;
  launch->offsets = Offsets::contiguous(launch->count, launch->operands.size());
  return read_addresses(image + facts.params[2].offset, launch);
}

// LoadWithCast<n> {types, uint32 sizes}; anything smaller casts nothing.
bool read_types(const KernelParam& param, const char* image, size_t first, size_t count,
                ElementwiseLaunch* launch) {
  if (param.size < 8 || !count) return true;
  for (size_t i = 0; i < count; ++i) {
    Element stored = element_of_code(read<int8_t>(image + param.offset + i));
    if (stored == Element::none) return false;
    launch->operands[first + i].stored = stored;
  }
  return true;
}

// (int count, F, std::array<char*, n>, calculator of inputs, of the output, loader, storer)
bool read_unrolled(const KernelFacts& facts, const char* image, ElementwiseLaunch* launch) {
  size_t inputs = launch->operands.size() - 1;
  if (facts.params.size() != 7 || !read_contiguous(facts, image, launch)) return false;
  if (facts.params[3].size > 8 || facts.params[4].size > 8)
    return false;  // only trivial calculators are used
  return read_types(facts.params[5], image, 1, inputs, launch) &&
         read_types(facts.params[6], image, 0, 1, launch);
}

// nvcc puts a pointer for the host behind what a lambda of [=] holds, also where that is nothing. The loop
// around it is such a lambda as well; its size tells.
size_t bytes_of_functor(size_t declared, size_t functor, size_t types, size_t closure) {
  constexpr size_t kPointer = 8;
  size_t with_pointer = (declared > 1 ? align(declared, kPointer) : 0) + kPointer;
  size_t whole = align(functor + with_pointer + types, kPointer) + kPointer;
  return whole == closure ? with_pointer : declared;
}

// (int count, {OffsetCalculator<n>, std::array<char*, n>, F, and where it casts std::array<ScalarType, n>})
bool read_strided(bool casting, const KernelFacts& facts, const char* image, size_t functor_bytes,
                  ElementwiseLaunch* launch) {
  size_t operands = launch->operands.size();
  if (facts.params.size() != 2) return false;
  const char* closure = image + facts.params[1].offset;
  size_t data = align(Offsets::bytes_of(operands), 8);
  size_t functor = data + 8 * operands;
  if (casting) functor_bytes = bytes_of_functor(functor_bytes, functor, operands, facts.params[1].size);
  size_t types = functor + functor_bytes;
  if (align(types + (casting ? operands : 0), 8) > align(facts.params[1].size, 8)) return false;
  launch->offsets = Offsets::read(closure, operands);
  launch->functor = closure + functor;
  launch->functor_bytes = functor_bytes;
  for (size_t i = 0; casting && i < operands; ++i) {
    launch->operands[i].stored = element_of_code(read<int8_t>(closure + types + i));
    if (launch->operands[i].stored == Element::none) return false;
  }
  return launch->offsets.plausible() && read_addresses(closure + data, launch);
}

}  // namespace

// A size is an IntDivider, which begins with the divisor; strides of one dimension stand together.
Offsets Offsets::read(const char* at, size_t operands) {
  Offsets offsets;
  auto dims = maya::read<int32_t>(at + kCalculator.dims.at);
  offsets.plausible_ = dims >= 0 && static_cast<uint32_t>(dims) <= kCalculator.sizes.count;
  for (int32_t dim = 0; offsets.plausible_ && dim < dims; ++dim) {
    auto number = static_cast<size_t>(dim);
    Dimension found{
        maya::read<uint32_t>(at + kCalculator.sizes.at + number * kCalculator.sizes.element_bytes), {}};
    const char* strides = at + kCalculator.strides.at + number * sizeof(uint32_t) * operands;
    for (size_t i = 0; i < operands; ++i) found.strides[i] = maya::read<uint32_t>(strides + 4 * i);
    offsets.plausible_ = found.size > 0;
    offsets.dimensions_.push_back(found);
  }
  return offsets;
}

Offsets Offsets::contiguous(size_t count, size_t operands) {
  Offsets offsets;
  Dimension all{std::max<size_t>(count, 1), {}};
  std::fill_n(all.strides, operands, 1);
  offsets.dimensions_.push_back(all);
  return offsets;
}

size_t Offsets::offset(size_t index, size_t operand) const {
  size_t bytes = 0;
  for (const Dimension& dimension : dimensions_) {
    bytes += index % dimension.size * dimension.strides[operand];
    index /= dimension.size;
  }
  return bytes;
}

size_t Offsets::last(size_t operand) const {
  size_t bytes = 0;
  for (const Dimension& dimension : dimensions_) {
    bytes += (dimension.size - 1) * dimension.strides[operand];
  }
  return bytes;
}

void Offsets::scale(size_t operand, size_t unit) {
  for (Dimension& dimension : dimensions_) dimension.strides[operand] *= unit;
}

size_t Operand::extent(const Offsets& offsets, size_t index) const {
  return offsets.last(index) + width_of(stored);
}

OperandForm operand_form(ValueRule rule) {
  switch (rule) {
    case ValueRule::elementwise_contiguous:
      return OperandForm::contiguous;
    case ValueRule::elementwise_unrolled:
      return OperandForm::unrolled;
    case ValueRule::elementwise_strided:
      return OperandForm::strided;
    case ValueRule::elementwise_casting:
      return OperandForm::strided_casting;
    default:
      return OperandForm::none;
  }
}

bool read_launch(OperandForm form, const KernelFacts& facts, const char* image,
                 const std::vector<Element>& types, size_t functor_bytes, ElementwiseLaunch* launch) {
  if (facts.params.empty() || facts.params[0].size != 4) return false;
  launch->count = static_cast<size_t>(std::max(0, read<int32_t>(image)));
  launch->operands.clear();
  for (Element type : types) launch->operands.push_back({0, type});
  switch (form) {
    case OperandForm::contiguous:
      if (!read_contiguous(facts, image, launch)) return false;
      break;
    case OperandForm::unrolled:
      if (!read_unrolled(facts, image, launch)) return false;
      break;
    case OperandForm::strided:
    case OperandForm::strided_casting:
      return read_strided(form == OperandForm::strided_casting, facts, image, functor_bytes, launch);
    default:
      return false;
  }
  scale_by_width(launch);
  return true;
}

}  // namespace maya
