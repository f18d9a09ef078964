// What a process asks and is answered in virtual time: a file that src/maya/prediction/live_durations.py
// maps.
#pragma once

#include <atomic>
#include <cstdint>

namespace maya {

constexpr uint32_t kMostDefinitions = 1u << 20;

struct Table {
  std::atomic<uint32_t> wanted;  // definitions up to this number
  uint32_t padding;
  std::atomic<int64_t> answers[kMostDefinitions];  // 0: none yet; else 1 + 2 * duration + host_waits
  struct Rates {
    float request_ns;
    float key_ns;
    float pair_ns;
    float link_ns;
    float share;
  } rates[kMostDefinitions];  // written before the answer
};

}  // namespace maya
