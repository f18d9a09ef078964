#include "kernels/reach.h"

#include <algorithm>
#include <unordered_map>

#include "maya/memory.h"

namespace maya {

int64_t Reach::value() const {
  if (count_ > kMost) return 0;
  std::unordered_map<uintptr_t, uintptr_t> lowest;  // by the end of the memory
  for (size_t i = 0; i < count_; ++i) {
    uintptr_t end = end_of_memory(addresses_[i]);
    if (!end) continue;
    uintptr_t& first = lowest.try_emplace(end, addresses_[i]).first->second;
    first = std::min(first, addresses_[i]);
  }
  uint64_t bytes = 0;
  for (auto [end, first] : lowest) bytes += end - first;
  return static_cast<int64_t>(bytes);
}

}  // namespace maya
