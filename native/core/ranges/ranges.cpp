#include "maya/ranges.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "ranges/operators.h"
#include "steps/process.h"

namespace maya {

struct RangeDomain {
  std::string name;
  size_t number;  // from 1; 0 is the default domain
};

namespace {

constexpr int kNoRange = -2;  // NVTX_NO_PUSH_POP_TRACKING

std::atomic<size_t> domains{0};
std::atomic<uint64_t> started{0};

int& depth_in(RangeDomain* domain) {
  thread_local std::vector<int> depths;
  size_t number = domain ? domain->number : 0;
  if (number >= depths.size()) depths.resize(number + 1);
  return depths[number];
}

void record(const char* what, RangeDomain* domain, const char* text, uint64_t a) {
  static const char* const fields[] = {"what:s", "text:s", "domain:s"};
  static Schema schema{"range", Kind::range, fields, 3};
  note(schema, {intern(what), intern(text), intern(domain ? domain->name.c_str() : "")}, 0, a);
}

}  // namespace

RangeDomain* create_range_domain(const char* name) {
  return new RangeDomain{name ? name : "", ++domains};
}

int push_range(RangeDomain* domain, const char* text) {
  Call entered;
  int depth = depth_in(domain)++;
  if (!domain && begin_operator(text)) return depth;
  record("push", domain, text, static_cast<uint64_t>(depth));
  observe_range(text);
  return depth;
}

int pop_range(RangeDomain* domain) {
  Call entered;
  int& depth = depth_in(domain);
  if (depth == 0) return kNoRange;
  --depth;
  if (!domain && end_operator()) return depth;
  record("pop", domain, "", static_cast<uint64_t>(depth));
  return depth;
}

uint64_t start_range(RangeDomain* domain, const char* text) {
  Call entered;
  uint64_t range = ++started;
  record("start", domain, text, range);
  observe_range(text);
  return range;
}

void end_range(RangeDomain* domain, uint64_t range) {
  Call entered;
  record("end", domain, "", range);
}

void mark(RangeDomain* domain, const char* text) {
  Call entered;
  record("mark", domain, text, 0);
  observe_range(text);
}

}  // namespace maya
