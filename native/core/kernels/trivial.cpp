#include "kernels/trivial.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../gen/torch/layouts.h"
#include "kernels/norms.h"
#include "kernels/routing.h"
#include "maya/memory.h"
#include "maya/values.h"

namespace maya {
namespace {

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The element's size stands in the kernel's name: OpaqueType<N>.
size_t element_bytes(const char* mangled) {
  const char* marker = "OpaqueTypeILj";
  const char* at = std::strstr(mangled, marker);
  return at ? std::strtoul(at + std::strlen(marker), nullptr, 10) : 0;
}

// (T* output, inputs, ...): of one dimension, at most 128 inputs and indices of 32 bits
void perform_concatenation(const char* mangled, const KernelFacts& facts, const char* image,
                           unsigned inputs) {
  constexpr const layouts::ConcatenationLayout& layout = layouts::kConcatenationLayouts[0];
  size_t width = element_bytes(mangled);
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

void perform(ValueRule rule, const char* mangled, const KernelFacts& facts, const char* image,
             const unsigned grid[3]) {
  switch (rule) {
    case ValueRule::none:
    case ValueRule::elementwise:
    case ValueRule::strided_copy:
    case ValueRule::reduction:
      return;
    case ValueRule::concatenate:
      return perform_concatenation(mangled, facts, image, grid[1]);
    case ValueRule::route:
      return observe_router(facts, image);
    case ValueRule::histogram:
      return answer_histogram(mangled, facts, image);
    case ValueRule::begin_nonzero:
      return begin_nonzero_count(mangled, image);
    case ValueRule::count_nonzero:
    case ValueRule::count_nonzero_of_few:
      return answer_nonzero_count(mangled, facts, image);
    case ValueRule::list_nonzero:
      return answer_nonzero_positions(facts, image);
    case ValueRule::norms_of_list:
      return answer_norms_of_list(mangled, facts, image, grid[0]);
  }
}

}  // namespace maya
