// How tokens are spread over experts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace maya {

// Weights of `experts` under "balanced", "zipf:EXPONENT" or "weights:a,b,..." (repeated where too few).
std::vector<double> routing_weights(const std::string& policy, size_t experts);

// `total` in whole parts as near to the weights as can be, none above `most`.
std::vector<int64_t> apportion(int64_t total, const std::vector<double>& weights, int64_t most);

}  // namespace maya
