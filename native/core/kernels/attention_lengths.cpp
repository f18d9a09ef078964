#include "kernels/attention_lengths.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/read.h"
#include "known_values.h"

namespace maya {
namespace {

// prepare_varlen_num_blocks_kernel(longest queries, longest keys, new keys, starts of queries, of keys, of
// new keys, lengths of queries, of keys, padding, requests, ...)
enum Parameter : size_t {
  longest_queries = 0,
  longest_keys = 1,
  query_starts = 3,
  key_lengths = 7,
  requests = 9
};
constexpr int32_t kMostRequests = 1 << 16;

std::atomic<int64_t> known_requests{0}, known_keys{0}, known_pairs{0};

template <typename T>
T argument(const KernelFacts& facts, const char* image, Parameter which) {
  return read<T>(image + facts.params[which].offset);
}

// Numbers that the host put into device memory; those that nobody knows are `otherwise`.
std::vector<int32_t> numbers(uintptr_t address, size_t count, int32_t otherwise) {
  std::vector<int32_t> found(count, otherwise);
  if (address && known_values().knows(address, count * sizeof(int32_t))) {
    known_values().read(found.data(), address, count * sizeof(int32_t));
  }
  return found;
}

}  // namespace

void note_attention_lengths(const KernelFacts& facts, const char* image) {
  if (facts.params.size() <= requests) return;
  int32_t count = argument<int32_t>(facts, image, requests);
  if (count <= 0 || count > kMostRequests) return;
  size_t size = static_cast<size_t>(count);
  int32_t most_keys = argument<int32_t>(facts, image, longest_keys);
  std::vector<int32_t> keys = numbers(argument<uintptr_t>(facts, image, key_lengths), size, most_keys);
  // Where nobody knows, each request has one query: that is decoding, and by far the most frequent.
  std::vector<int32_t> starts = numbers(argument<uintptr_t>(facts, image, query_starts), size + 1, -1);
  int64_t present = 0, all_keys = 0, pairs = 0;
  for (size_t i = 0; i < size; ++i) {
    int64_t queries = starts[i] >= 0 ? std::max(starts[i + 1] - starts[i], 0) : 1;
    int64_t own = std::max(keys[i], 0);
    all_keys += own;
    present += own > 0;  // graphs are padded with requests that are none
    // A query sees the keys up to its own.
    pairs += std::max<int64_t>(queries * own - queries * (queries - 1) / 2, 0);
  }
  known_requests = present;
  known_keys = all_keys;
  known_pairs = pairs;
}

AttentionLengths attention_lengths() {
  return {known_requests.load(std::memory_order_relaxed), known_keys.load(std::memory_order_relaxed),
          known_pairs.load(std::memory_order_relaxed)};
}

}  // namespace maya
