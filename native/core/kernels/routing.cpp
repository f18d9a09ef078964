#include "kernels/routing.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <vector>

#include "assumptions.h"
#include "kernels/policy.h"
#include "kernels/read.h"
#include "kernels/shares.h"
#include "maya/memory.h"
#include "maya/runtime.h"
#include "maya/values.h"

namespace maya {
namespace {

constexpr uint64_t kMostExperts = 1024;  // a top-k over more is a search among words, not experts
constexpr uint64_t kMostAssumed = 1024;  // conditions: one a row of a batch

// Index types are 32 or 64 bits wide.
uint64_t read_index(const char* image, const KernelParam& param) {
  return param.size == 8 ? read<uint64_t>(image + param.offset) : read<uint32_t>(image + param.offset);
}

struct Router {
  uint64_t tokens = 0;
  uint64_t experts = 0;
  uint64_t choices = 0;
  std::vector<int64_t> counts;  // tokens of each expert
  size_t next = 0;              // the expert whose tokens are asked for next
  uint64_t counted_items = 0;   // size of the mask that was summed last, and what it summed to
  int64_t counted_total = 0;
};

std::mutex& lock() {
  static std::mutex* instance = new std::mutex;
  return *instance;
}

// Of this thread's device: each rank is a process, and one thread runs a layer.
Router& router() {
  static Router* instance = new Router;
  return *instance;
}

// Between the kernels of one torch.nonzero.
struct Pending {
  uint64_t items = 0;
  const char* mask = nullptr;
  size_t width = 0;  // of an element in bytes; 0 for types that masks hardly have
  std::vector<int64_t> positions;
};
thread_local Pending pending;

// bool, unsigned char, int, long
size_t element_width(char type) {
  switch (type) {
    case 'b':
    case 'h':
      return 1;
    case 'i':
      return 4;
    case 'l':
      return 8;
    default:
      return 0;
  }
}

// CUB's own iterator holds an empty functor and then the pointer, the one of Thrust that replaced it the
// pointer first. What stands beside the pointer is a remain of the stack.
const char* mask_of(const char* mangled, const char* image) {
  size_t offset = std::strstr(mangled, "TransformInputIterator") ? 8 : 0;
  auto* at = read<const char*>(image + offset);
  return is_device_address(reinterpret_cast<uintptr_t>(at)) ? at : nullptr;
}

// What the host put there can be counted; -1 where a kernel would have made it.
int64_t count_known(Pending& p) {
  if (!p.width || p.items > kSmallTransfer / p.width) return -1;
  if (!p.mask || !values_known(p.mask, p.items * p.width)) return -1;
  std::vector<char> bytes(p.items * p.width);
  peek(bytes.data(), p.mask, bytes.size());
  for (uint64_t i = 0; i < p.items; ++i) {
    auto first = bytes.begin() + static_cast<ptrdiff_t>(i * p.width);
    bool set = std::any_of(first, first + static_cast<ptrdiff_t>(p.width), [](char byte) { return byte; });
    if (set) p.positions.push_back(static_cast<int64_t>(i));
  }
  return static_cast<int64_t>(p.positions.size());
}

// A mask of conditions that are known or assumed, as `any` of rows with unknown elements is; -1 for others.
int64_t count_assumed(Pending& p) {
  if (p.width != 1 || !p.mask || !p.items || p.items > kMostAssumed) return -1;
  std::vector<uint8_t> known(p.items);
  std::vector<char> set(p.items);
  maya_known_bytes(p.mask, p.items, known.data());
  peek(set.data(), p.mask, p.items);
  auto begin = reinterpret_cast<uintptr_t>(p.mask);
  for (const auto& [address, assumption] : assumptions().within(begin, p.items)) {
    if (assumption.width != 1 || known[address - begin]) continue;
    known[address - begin] = 1;
    set[address - begin] = assumption.bytes[0];
  }
  if (std::find(known.begin(), known.end(), 0) != known.end()) return -1;
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i]) p.positions.push_back(static_cast<int64_t>(i));
  }
  return static_cast<int64_t>(p.positions.size());
}

// Tokens per expert for `outputs` experts, all of them or (under expert parallelism) those of this rank.
std::vector<int64_t> counts_for(const Router& r, size_t outputs) {
  uint64_t shards = r.experts / outputs;
  auto all = apportion(static_cast<int64_t>(r.tokens * shards * r.choices),
                       routing_weights(config().routing, r.experts), static_cast<int64_t>(r.tokens * shards));
  size_t shard = static_cast<size_t>(std::max(0, config().rank)) % shards;
  auto first = all.begin() + static_cast<ptrdiff_t>(shard * outputs);
  return {first, first + static_cast<ptrdiff_t>(outputs)};
}

bool sums_are_routed(const Router& r, size_t inputs, size_t outputs) {
  if (!r.tokens || outputs < 2 || r.experts % outputs) return false;
  if (outputs == r.experts && inputs == r.tokens * r.choices) return true;  // one-hot choices
  return inputs == r.tokens * (r.experts / outputs);                        // a map of tokens to experts
}

// How many elements of a mask are set, where its size tells what it stands for; -1 where not.
int64_t nonzero_of(Router& r, uint64_t items, std::vector<int64_t>* positions) {
  if (!r.tokens || r.counts.empty()) return -1;
  if (items == r.experts) {
    for (size_t i = 0; i < r.counts.size(); ++i) {
      if (r.counts[i] > 0) positions->push_back(static_cast<int64_t>(i));
    }
    return static_cast<int64_t>(positions->size());
  }
  if (items == r.counted_items) return r.counted_total;
  if (items == r.tokens * r.experts) return static_cast<int64_t>(r.tokens * r.choices);
  if (items != r.tokens && items != r.tokens * r.choices) return -1;
  for (size_t tried = 0; tried < r.counts.size(); ++tried) {
    int64_t count = r.counts[r.next++ % r.counts.size()];
    if (count > 0) return count;  // an expert without tokens is not asked
  }
  return 0;
}

// A mask of which nothing is known is taken to be half full: with none of its elements the work on what it
// selects would be missing, and means over nothing would end programs that look for NaN.
int64_t count_or_guess() {
  int64_t count = count_known(pending);
  if (count >= 0) return count;
  count = count_assumed(pending);
  if (count >= 0) {
    note_policy("as its conditions are assumed", "mask");
    return count;
  }
  {
    std::lock_guard<std::mutex> guard(lock());
    count = nonzero_of(router(), pending.items, &pending.positions);
  }
  if (count >= 0) {
    note_policy(config().routing.c_str(), "elements of a mask");
    return count;
  }
  note_policy("half", "mask");
  return static_cast<int64_t>(std::max<uint64_t>(std::min<uint64_t>(pending.items, 1), pending.items / 2));
}

void answer_count(const KernelFacts& facts, const char* image) {
  char* target = read<char*>(image + facts.params[1].offset);
  if (!is_device_address(reinterpret_cast<uintptr_t>(target))) return;
  auto count = static_cast<int32_t>(count_or_guess());
  pending.items = 0;  // sums of other things have the same last kernel
  poke(target, &count, sizeof count);
}

}  // namespace

void observe_router(const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 5) return;
  uint64_t experts = read_index(image, facts.params[1]);
  uint64_t choices = read_index(image, facts.params[2]);
  uint64_t tokens = read_index(image, facts.params[4]);
  if (experts < 2 || experts > kMostExperts || !choices || choices > experts || !tokens) return;
  std::lock_guard<std::mutex> guard(lock());
  Router fresh;
  fresh.tokens = tokens;
  fresh.experts = experts;
  fresh.choices = choices;
  fresh.counts = counts_for(fresh, experts);
  router() = fresh;
}

bool routed_sums(size_t inputs, size_t outputs, std::vector<int64_t>* sums) {
  {
    std::lock_guard<std::mutex> guard(lock());
    Router& r = router();
    if (!sums_are_routed(r, inputs, outputs)) return false;
    *sums = counts_for(r, outputs);
    r.counted_items = inputs * outputs;
    r.counted_total = std::accumulate(sums->begin(), sums->end(), int64_t{0});
  }
  note_policy(config().routing.c_str(), "tokens per expert");
  return true;
}

// The decisions of all tokens, or of some of them where ranks divide the tokens among themselves.
std::vector<int64_t> counts_of_choices(const Router& r, uint64_t choices) {
  if (!choices || choices % r.choices || choices >= r.tokens * r.choices) return r.counts;
  Router part = r;
  part.tokens = choices / r.choices;
  return counts_for(part, r.experts);
}

// (TensorInfo<output> a, TensorInfo p, TensorInfo b, int64 bins, least, greatest, int64 items, ...): the
// output's type is the first argument.
void answer_histogram(char type, const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 4 || facts.params[3].size != 8 || !type || !std::strchr("fli", type)) return;
  char* target = read<char*>(image);
  size_t bins = read<size_t>(image + facts.params[3].offset);
  std::vector<int64_t> counts;
  {
    std::lock_guard<std::mutex> guard(lock());
    if (!router().tokens || bins != router().experts) return;
    bool told = facts.params.size() > 6 && facts.params[6].size == 8;
    counts = counts_of_choices(router(), told ? read<uint64_t>(image + facts.params[6].offset) : 0);
  }
  if (!is_device_address(reinterpret_cast<uintptr_t>(target))) return;
  std::vector<float> real(counts.begin(), counts.end());
  std::vector<int32_t> narrow(counts.begin(), counts.end());
  if (type == 'l') poke(target, counts.data(), bins * 8);
  if (type == 'f') poke(target, real.data(), bins * 4);
  if (type == 'i') poke(target, narrow.data(), bins * 4);
  note_policy(config().routing.c_str(), "tokens per expert");
}

// ({pointer and functor}, partial results, u64 items, ...)
void begin_nonzero_count(char type, const char* mangled, const char* image) {
  pending = {read<uint64_t>(image + 24), mask_of(mangled, image), element_width(type), {}};
}

// ({pointer and functor}, result, items, ...)
void answer_nonzero_count_of_few(char type, const char* mangled, const KernelFacts& facts,
                                 const char* image) {
  if (facts.params.size() < 3) return;
  pending = {read_index(image, facts.params[2]), mask_of(mangled, image), element_width(type), {}};
  answer_count(facts, image);
}

// (partial results, result, items, ...)
void answer_nonzero_count(const KernelFacts& facts, const char* image) {
  if (facts.params.size() >= 3 && pending.items) answer_count(facts, image);
}

// (counter, flags, int64* positions, ...)
void answer_nonzero_positions(const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 3 || pending.positions.empty()) return;
  char* target = read<char*>(image + facts.params[2].offset);
  if (!is_device_address(reinterpret_cast<uintptr_t>(target))) return;
  poke(target, pending.positions.data(), pending.positions.size() * 8);
  pending = {};
}

}  // namespace maya
