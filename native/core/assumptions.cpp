#include "assumptions.h"

#include <cstdio>
#include <cstring>

#include "blocks.h"

namespace maya {

Assumptions& assumptions() {
  static Assumptions* instance = new Assumptions;
  return *instance;
}

void Assumptions::set(uintptr_t address, const Assumption& assumption) {
  {
    std::lock_guard<std::mutex> guard(lock_);
    elements_[address] = assumption;
    count_ = elements_.size();
  }
  blocks().note_values(address, 1);
}

bool Assumptions::find(uintptr_t address, Assumption* found) {
  if (!count_.load(std::memory_order_relaxed)) return false;
  std::lock_guard<std::mutex> guard(lock_);
  auto element = elements_.find(address);
  if (element == elements_.end()) return false;
  *found = element->second;
  return true;
}

std::vector<std::pair<uintptr_t, Assumption>> Assumptions::within(uintptr_t address, size_t bytes) {
  if (!count_.load(std::memory_order_relaxed)) return {};
  std::lock_guard<std::mutex> guard(lock_);
  return {elements_.lower_bound(address), elements_.lower_bound(address + bytes)};
}

void Assumptions::forget_range(uintptr_t address, size_t bytes) {
  if (!count_.load(std::memory_order_relaxed)) return;
  std::lock_guard<std::mutex> guard(lock_);
  auto element = elements_.lower_bound(address);
  while (element != elements_.end() && element->first < address + bytes) element = elements_.erase(element);
  count_ = elements_.size();
}

std::string describe(const Assumption& assumption) {
  static const char* const names[] = {"all", "any", "count", "mean or sum", "limit", "scale"};
  std::string text = names[static_cast<size_t>(assumption.stands_for)];
  if (assumption.real) {
    float single;
    double number;
    std::memcpy(&single, assumption.bytes, sizeof single);
    std::memcpy(&number, assumption.bytes, sizeof number);
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g", assumption.width == 8 ? number : static_cast<double>(single));
    return text + ": " + (assumption.width < 4 ? "1" : digits);
  }
  int64_t integer = 0;
  std::memcpy(&integer, assumption.bytes, assumption.width);
  if (assumption.width == 1) return text + (integer ? ": true" : ": false");
  return text + ": " + std::to_string(integer);
}

}  // namespace maya
