#include "steps/watch.h"

#include <algorithm>

#include "hash.h"

namespace maya {

void Watch::begin(const Pieces& pieces, const Steady& found, uint64_t now_ns, uint64_t elapsed_ns) {
  period_ = found.period;
  first_piece_ = pieces.size();
  begun_ns_ = now_ns;
  elapsed_ns_ = elapsed_ns;
  plain_ = last_step(pieces);
}

bool Watch::is_over(const Pieces& pieces, const WatchRules& rules, uint64_t now_ns) {
  size_t watched = pieces.size() - first_piece_;
  if (watched % period_) return false;
  size_t steps = watched / period_;
  uint64_t waited_ns = now_ns - begun_ns_;
  if (uint64_t kind = last_step(pieces); kind != plain_) ++others_[kind];
  if (steps < rules.steps && waited_ns < std::max(rules.least_ns, elapsed_ns_ / rules.part)) return false;
  // What came once may come again, and then says how often it does.
  bool once =
      std::any_of(others_.begin(), others_.end(), [](const auto& other) { return other.second == 1; });
  return !once || steps >= rules.most_steps || waited_ns >= rules.most_ns;
}

uint64_t Watch::last_step(const Pieces& pieces) const {
  const auto& kinds = pieces.loose();
  uint64_t all = 0;
  for (size_t i = kinds.size() - period_; i < kinds.size(); ++i) all = mix(all, kinds[i]);
  return all;
}

}  // namespace maya
