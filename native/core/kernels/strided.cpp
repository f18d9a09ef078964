#include "kernels/strided.h"

#include <cstddef>
#include <cstring>

#include "maya/memory.h"
#include "maya/values.h"

namespace maya {
namespace {

constexpr size_t kMostElements = 16384;

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool on_device(const char* address) {
  return is_device_address(reinterpret_cast<uintptr_t>(address));
}

// The copied type ends the lambda's signature in the name: {lambda(long)}.
size_t copied_bytes(const char* mangled) {
  if (std::strstr(mangled, "EUllE_")) return 8;
  if (std::strstr(mangled, "EUliE_")) return 4;
  return 0;
}

// Stores elements at `offsets` from `target`: in one piece where they leave no gap, so that they are
// forgotten in one piece.
void scatter(char* target, const std::vector<size_t>& offsets, const char* values, size_t width) {
  size_t bytes = offsets.size() * width;
  std::vector<char> whole(bytes);
  bool dense = true;
  for (size_t i = 0; i < offsets.size() && dense; ++i) {
    dense = offsets[i] + width <= bytes;
    if (dense) std::memcpy(whole.data() + offsets[i], values + i * width, width);
  }
  if (dense) return poke(target, whole.data(), bytes);
  for (size_t i = 0; i < offsets.size(); ++i) poke(target + offsets[i], values + i * width, width);
}

}  // namespace

size_t operands_behind_table(const char* functor, size_t bytes) {
  constexpr size_t kMostOperands = 5;
  int32_t dims = bytes >= sizeof(OffsetTable<1>) ? read<int32_t>(functor) : -1;
  if (dims < 0 || static_cast<size_t>(dims) > OffsetTable<1>::kMostDims) return 0;
  // The most operands that fit: where there are fewer, their addresses would stand among leftovers.
  for (size_t count = kMostOperands; count >= 1; --count) {
    size_t strides = OffsetTable<1>::kMostDims * sizeof(uint32_t) * count;
    size_t at = (offsetof(OffsetTable<1>, strides) + strides + 7) / 8 * 8;
    bool all = at + count * 8 <= bytes;
    for (size_t i = 0; i < count && all; ++i) all = on_device(read<const char*>(functor + at + i * 8));
    if (all) return at;
  }
  return 0;
}

bool Reduction::gather(size_t width, std::vector<char>* values) const {
  if (inputs * outputs > kMostElements) return false;
  values->resize(inputs * outputs * width);
  for (size_t out = 0; out < outputs; ++out) {
    const char* base = source + across.offset(out, 1);
    for (size_t in = 0; in < inputs; ++in) {
      const char* at = base + within.offset(in, 0);
      if (!on_device(at) || !values_known(at, width)) return false;
      peek(values->data() + (out * inputs + in) * width, at, width);
    }
  }
  return true;
}

void Reduction::store(const char* results, size_t width) const {
  std::vector<size_t> offsets(outputs);
  for (size_t out = 0; out < outputs; ++out) offsets[out] = across.offset(out, 0);
  scatter(target, offsets, results, width);
}

// ReduceOp<...>: functor and identity (8 or, for types of 8 bytes, 16 bytes), the configuration (16 words:
// element bytes, inputs, outputs, ...), the index calculators, the addresses of source and result, scratch
// and flags.
bool read_reduction(const KernelFacts& facts, const char* image, Reduction* reduction) {
  constexpr size_t kTables = 64 + sizeof(OffsetTable<1>) + sizeof(OffsetTable<2>);
  auto source_behind = [](size_t bytes) { return (bytes + kTables + 7) / 8 * 8; };
  if (facts.params.size() != 1 || facts.params[0].size < 64) return false;
  const size_t source = facts.params[0].size - 64;
  if (source != source_behind(8) && source != source_behind(16)) return false;
  const size_t head = source == source_behind(8) ? 8 : 16;
  const size_t within = head + 64;
  const size_t across = within + sizeof(OffsetTable<1>);
  int32_t inputs = read<int32_t>(image + head + 4);
  int32_t outputs = read<int32_t>(image + head + 8);
  if (inputs <= 0 || outputs <= 0) return false;
  reduction->inputs = static_cast<size_t>(inputs);
  reduction->outputs = static_cast<size_t>(outputs);
  reduction->within = read<OffsetTable<1>>(image + within);
  reduction->across = read<OffsetTable<2>>(image + across);
  reduction->source = read<char*>(image + source);
  reduction->target = read<char*>(image + source + 8);
  return reduction->within.plausible() && reduction->across.plausible() && on_device(reduction->source) &&
         on_device(reduction->target);
}

void perform_strided_copy(const char* mangled, const KernelFacts& facts, const char* image) {
  constexpr size_t kOperands = sizeof(OffsetTable<2>);
  size_t width = copied_bytes(mangled);
  if (!width || facts.params.size() != 2 || facts.params[1].size < kOperands + 16) return;
  const char* functor = image + facts.params[1].offset;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  auto table = read<OffsetTable<2>>(functor);
  char* target = read<char*>(functor + kOperands);
  const char* source = read<const char*>(functor + kOperands + 8);
  if (count > kMostElements || !table.plausible() || !on_device(target) || !on_device(source)) return;
  std::vector<char> values(count * width);
  std::vector<size_t> offsets(count);
  for (size_t i = 0; i < count; ++i) {
    const char* at = source + table.offset(i, 1);
    if (!on_device(at) || !values_known(at, width)) return;
    offsets[i] = table.offset(i, 0);
    peek(values.data() + i * width, at, width);
  }
  scatter(target, offsets, values.data(), width);
}

}  // namespace maya
