#include "kernels/problem.h"

#include <cstring>
#include <mutex>

#include "hash.h"
#include "id_table.h"

namespace maya {
namespace {

// Launches of one problem whose other arguments differ more often than this (random seeds, learning rates,
// padding) are recorded with the arguments of the first.
constexpr uint32_t kMostVariants = 16;
// Kernels with one structure for all arguments keep their sizes in it, which grow with each token that is
// generated (attention).
constexpr uint32_t kMostVariantsOfStructures = 2048;

constexpr uint64_t kMostElements = uint64_t{1} << 40;

struct Variants {
  std::mutex lock;
  IdTable first;   // problem -> definition of its first launch
  IdTable counts;  // problem -> number of distinct launches
};

Variants& variants() {
  static Variants* instance = new Variants;
  return *instance;
}

// Bytes of a leading integer, which in PyTorch's kernels is the number of elements; 0 where there is none.
size_t leading_count(const KernelFacts& facts, const Image& image) {
  if (image.layout != ImageLayout::arguments || facts.params.empty() || facts.params[0].offset != 0) return 0;
  size_t bytes = facts.params[0].size;
  if (bytes != 8 || image.size < 8) return bytes == 4 && image.size >= 4 ? 4 : 0;
  uint64_t word;
  std::memcpy(&word, image.bytes, 8);
  return word < kMostElements ? 8 : 0;  // neither an address nor a floating-point number
}

uint64_t content_hash(const Problem& problem, const Image& image) {
  return problem.is_whole ? problem.key : hash_bytes(image.bytes, image.size, problem.shape);
}

}  // namespace

Problem problem_of(uint64_t shape, const KernelFacts& facts, const Image& image, bool is_clean) {
  size_t bytes = is_clean ? image.size : leading_count(facts, image);
  uint32_t most = facts.params.size() == 1 ? kMostVariantsOfStructures : kMostVariants;
  return {shape, hash_bytes(image.bytes, bytes, shape), is_clean, most};
}

uint32_t definition_for(Schema& schema, const int64_t* values, size_t count, const Image& image,
                        const Problem& problem) {
  Variants& all = variants();
  std::lock_guard<std::mutex> guard(all.lock);
  uint32_t& number = all.counts.slot(problem.key);
  if (number >= problem.most_variants) return all.first.slot(problem.key);
  bool created = false;
  uint32_t definition = definition_of(schema, values, count, {image.bytes, image.size}, &created,
                                      &image.reach, content_hash(problem, image));
  if (created && number++ == 0) all.first.slot(problem.key) = definition;
  return definition;
}

}  // namespace maya
