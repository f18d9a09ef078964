#include "steps/periodicity.h"

#include <algorithm>

namespace maya {
namespace {

bool repeats_at_end(const std::vector<uint64_t>& items, size_t period, size_t repeats) {
  size_t length = period * repeats;
  if (length > items.size()) return false;
  size_t start = items.size() - length;
  for (size_t i = start + period; i < items.size(); ++i) {
    if (items[i] != items[i - period]) return false;
  }
  return true;
}

}  // namespace

size_t period_at_end(const std::vector<uint64_t>& items, size_t repeats, size_t max_period) {
  size_t limit = std::min(max_period, items.size() / repeats);
  for (size_t period = 1; period <= limit; ++period) {
    if (repeats_at_end(items, period, repeats)) return period;
  }
  return 0;
}

size_t longest_run(const std::vector<uint64_t>& items, uint64_t item, size_t length) {
  size_t longest = 0, run = 0;
  for (size_t i = items.size() - std::min(length, items.size()); i < items.size(); ++i) {
    run = items[i] == item ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// The prefix function of the reversed sequence: a border of length b of its first n items means that those n
// items (the last n of the sequence) have period n - b. That period never falls as n grows, so the shortest
// stretch asked for has the smallest one, which is then followed as far back as it goes.
Repetition repetition_of_most(const std::vector<uint64_t>& items, size_t repeats) {
  size_t size = items.size();
  size_t least = size - size / 2;
  std::vector<uint32_t> border(size + 1, 0);
  auto at = [&](size_t i) { return items[size - 1 - i]; };
  Repetition found;
  for (size_t i = 1, matched = 0; i < size; ++i) {
    while (matched && at(i) != at(matched)) matched = border[matched];
    if (at(i) == at(matched)) ++matched;
    border[i + 1] = static_cast<uint32_t>(matched);
    size_t length = i + 1;
    size_t period = length - matched;
    if (length == least) found.period = period;
    if (length >= least && period == found.period) found.length = length;
  }
  return found.length >= found.period * repeats ? found : Repetition{};
}

}  // namespace maya
