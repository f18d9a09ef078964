// Repetition at the end of a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maya {

// The smallest period p <= max_period such that the last `repeats` groups of p items are equal; 0 if none.
size_t period_at_end(const std::vector<uint64_t>& items, size_t repeats, size_t max_period);

// How often `item` comes in a row, at most, among the last `length` items.
size_t longest_run(const std::vector<uint64_t>& items, uint64_t item, size_t length);

// The last `length` items have this period; all 0 if there is none.
struct Repetition {
  size_t period = 0;
  size_t length = 0;
};

// The smallest period of at least half of the sequence, at its end, with as many repeats as asked for. In
// linear time.
Repetition repetition_of_most(const std::vector<uint64_t>& items, size_t repeats);

}  // namespace maya
