#include "kernels/product.h"

#include <cstring>

namespace maya {
namespace {

// prepare_grouped_gemm_data(14 pointers, offsets, int m, n, k, int64 strides of a, b and output [3] each,
// sizes of a and b [3] each, ...). A dimension that data divides among the groups is given as -1.
constexpr size_t kOffsets = 14;
constexpr size_t kSizesOfA = kOffsets + 7;

constexpr int32_t kModes = 5;  // of GemmUniversalMode

thread_local ProductDigest prepared{};

int32_t word_at(const KernelFacts& facts, size_t parameter, size_t index, const char* image, size_t bytes) {
  if (parameter >= facts.params.size()) return 0;
  size_t at = facts.params[parameter].offset + 4 * index;
  int32_t word = 0;
  if (at + 4 <= bytes) std::memcpy(&word, image + at, 4);
  return word;
}

int32_t share(int32_t whole, int32_t groups) {
  return (whole + groups - 1) / groups;
}

bool sensible(const ProductDigest& digest) {
  return digest.m > 0 && digest.n > 0 && digest.k > 0 && digest.groups > 0;
}

}  // namespace

void note_grouped(const KernelFacts& facts, const char* image, size_t image_bytes, unsigned groups) {
  auto word = [&](size_t parameter, size_t index) {
    return word_at(facts, parameter, index, image, image_bytes);
  };
  auto count = static_cast<int32_t>(groups);
  int32_t m = word(kOffsets + 1, 0), n = word(kOffsets + 2, 0), k = word(kOffsets + 3, 0);
  // Sizes are of 64 bits: the low word of the second stands at index 2.
  if (m < 0) m = share(word(kSizesOfA, 0), count);
  if (k < 0) k = share(word(kSizesOfA, 2), count);
  if (n < 0) n = share(word(kSizesOfA + 1, 2), count);
  prepared = {m, n, k, count};
}

bool digest_product(ArgumentReader reader, const KernelFacts& facts, const char* image, size_t image_bytes,
                    ProductDigest* digest) {
  if (reader == ArgumentReader::grouped_product) {
    *digest = prepared;
    return sensible(prepared);
  }
  // Params{mode, problem{m, n, k}, ...} of persistent kernels, Params{problem, ...} of others.
  auto word = [&](size_t index) { return word_at(facts, 0, index, image, image_bytes); };
  size_t first = word(0) >= 0 && word(0) < kModes ? 1 : 0;
  *digest = {word(first), word(first + 1), word(first + 2), 1};
  return sensible(*digest);
}

}  // namespace maya
