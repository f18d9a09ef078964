#include "kernels/shares.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace maya {
namespace {

std::vector<double> parse_weights(const char* text) {
  std::vector<double> weights;
  for (char* end = nullptr; *text; text = *end == ',' ? end + 1 : end) {
    double value = std::strtod(text, &end);
    if (end == text) break;
    weights.push_back(std::max(0.0, value));
  }
  return weights;
}

}  // namespace

std::vector<double> routing_weights(const std::string& policy, size_t experts) {
  std::vector<double> weights(experts, 1.0);
  if (policy.rfind("zipf:", 0) == 0) {
    double exponent = std::strtod(policy.c_str() + 5, nullptr);
    for (size_t i = 0; i < experts; ++i) weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  } else if (policy.rfind("weights:", 0) == 0) {
    std::vector<double> given = parse_weights(policy.c_str() + 8);
    for (size_t i = 0; i < experts && !given.empty(); ++i) weights[i] = given[i % given.size()];
  }
  return weights;
}

std::vector<int64_t> apportion(int64_t total, const std::vector<double>& weights, int64_t most) {
  std::vector<int64_t> parts(weights.size(), 0);
  std::vector<double> rest(weights);
  // What is cut off at `most` goes to the others by their weights, until nothing is left or all are full.
  for (int64_t left = total; left > 0;) {
    double sum = std::accumulate(rest.begin(), rest.end(), 0.0);
    if (sum <= 0) break;
    std::vector<std::pair<double, size_t>> fractions;
    int64_t given = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      double ideal = static_cast<double>(left) * rest[i] / sum;
      int64_t part = std::min(static_cast<int64_t>(ideal), most - parts[i]);
      fractions.push_back({static_cast<double>(part) - ideal, i});
      parts[i] += part;
      given += part;
    }
    std::stable_sort(fractions.begin(), fractions.end());
    for (auto [lack, i] : fractions) {
      if (given >= left || parts[i] >= most || rest[i] <= 0) continue;
      ++parts[i];
      ++given;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] >= most) rest[i] = 0;
    }
    left -= given;
    if (!given) break;
  }
  return parts;
}

}  // namespace maya
