#include "kernels/strided.h"

#include <cstring>

#include "kernels/read.h"
#include "kernels/values/operands.h"
#include "maya/memory.h"

namespace maya {
namespace {

bool on_device(const char* address) {
  return is_device_address(reinterpret_cast<uintptr_t>(address));
}

}  // namespace

size_t operands_behind_table(const char* functor, size_t bytes) {
  constexpr size_t kMostOperands = 5;
  constexpr auto kMostDimensions = static_cast<int32_t>(layouts::kCalculator.sizes.count);
  int32_t dims = bytes >= Offsets::bytes_of(1) ? read<int32_t>(functor) : -1;
  if (dims < 0 || dims > kMostDimensions) return 0;
  // The most operands that fit: where there are fewer, their addresses would stand among leftovers.
  for (size_t count = kMostOperands; count >= 1; --count) {
    size_t at = (Offsets::bytes_of(count) + 7) / 8 * 8;
    bool all = at + count * 8 <= bytes;
    for (size_t i = 0; i < count && all; ++i) all = on_device(read<const char*>(functor + at + i * 8));
    if (all) return at;
  }
  return 0;
}

// Behind the addresses stand sizes, strides and addresses of indices, with leftovers in what is not used of
// them: what comes first or looks like a table is no proof.
size_t indexed_result(const char* functor, size_t bytes) {
  constexpr size_t kOperands = 3;  // result, source, index
  size_t at = (Offsets::bytes_of(kOperands) + 7) / 8 * 8;
  bool both = at + 16 <= bytes && on_device(read<const char*>(functor + at)) &&
              on_device(read<const char*>(functor + at + 8));
  return both ? at : 0;
}

}  // namespace maya
