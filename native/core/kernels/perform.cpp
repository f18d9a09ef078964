#include "kernels/perform.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../gen/torch/layouts.h"
#include "kernels/norms.h"
#include "kernels/read.h"
#include "kernels/routing.h"
#include "maya/memory.h"
#include "maya/values.h"

namespace maya {
namespace {

// Types without a name are called by their size: OpaqueType<4u>, mangled OpaqueTypeILj4E.
size_t opaque_bytes(const char* type) {
  constexpr char kNumber[] = "Lj";
  constexpr size_t kLength = sizeof kNumber - 1;
  return std::strncmp(type, kNumber, kLength) ? 0 : std::strtoul(type + kLength, nullptr, 10);
}

// (T* output, inputs, ...): of one dimension, at most 128 inputs and indices of 32 bits
void perform_concatenation(size_t width, const KernelFacts& facts, const char* image, unsigned inputs) {
  constexpr const layouts::ConcatenationLayout& layout = layouts::kConcatenationLayouts[0];
  if (!width || facts.params.size() != 5 || facts.params[1].size != layout.bytes) return;
  if (inputs > layout.input.count) return;
  char* output = read<char*>(image);
  const char* table = image + facts.params[1].offset;
  bool norms = false;
  for (size_t i = 0; i < inputs; ++i) {
    char* source = read<char*>(table + layout.input.at + i * sizeof source);
    size_t offset = read<uint32_t>(table + layout.offset.at + i * sizeof(uint32_t)) * width;
    size_t bytes = read<uint32_t>(table + layout.elements.at + i * sizeof(uint32_t)) * width;
    if (bytes > kSmallTransfer || !values_known(source, bytes)) return;
    std::vector<char> part(bytes);
    peek(part.data(), source, bytes);
    poke(output + offset, part.data(), bytes);
    norms |= follows_norm(source);
  }
  follow_norm(output, norms);
}

}  // namespace

void perform(const Family& family, const char* mangled, const KernelFacts& facts, const char* image,
             const unsigned grid[3]) {
  if (!has_answer(family.values)) return;
  const char* type = type_behind(family, mangled);
  switch (family.values) {
    case ValueRule::concatenate:
      return perform_concatenation(opaque_bytes(type), facts, image, grid[1]);
    case ValueRule::route:
      return observe_router(facts, image);
    case ValueRule::histogram:
      return answer_histogram(*type, facts, image);
    case ValueRule::begin_nonzero:
      return begin_nonzero_count(*type, mangled, image);
    case ValueRule::count_nonzero_of_few:
      return answer_nonzero_count_of_few(*type, mangled, facts, image);
    case ValueRule::count_nonzero:
      return answer_nonzero_count(facts, image);
    case ValueRule::list_nonzero:
      return answer_nonzero_positions(facts, image);
    case ValueRule::norms_of_list:
      return answer_norms_of_list(type, facts, image, grid[0]);
    default:
      return;
  }
}

}  // namespace maya
