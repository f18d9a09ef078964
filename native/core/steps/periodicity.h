// Repetition at the end of a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maya {

// The smallest period p <= max_period such that the last `repeats` groups of p items are equal; 0 if none.
size_t period_at_end(const std::vector<uint64_t>& items, size_t repeats, size_t max_period);

// As above for long sequences and any period, in linear time.
size_t long_period_at_end(const std::vector<uint64_t>& items, size_t repeats);

}  // namespace maya
