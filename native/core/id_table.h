// Open-addressing map from a 64-bit hash to a small id. The hash stands for the content: at a million entries
// two contents share one with a chance below 1e-7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maya {

class IdTable {
 public:
  // The slot of `hash`; 0 where it is new, to be filled by the caller before the next call.
  uint32_t& slot(uint64_t hash) {
    if (hash == 0) hash = 1;
    if ((used_ + 1) * 2 > entries_.size()) grow();
    Entry& entry = probe(hash);
    if (entry.hash == 0) {
      entry.hash = hash;
      ++used_;
    }
    return entry.id;
  }

 private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t id = 0;
  };

  Entry& probe(uint64_t hash) {
    size_t mask = entries_.size() - 1;
    size_t at = hash & mask;
    while (entries_[at].hash != 0 && entries_[at].hash != hash) at = (at + 1) & mask;
    return entries_[at];
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 4096 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.hash != 0) probe(entry.hash) = entry;
    }
  }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

}  // namespace maya
