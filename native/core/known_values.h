// Which ranges of device addresses hold bytes that the host put there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "blocks.h"

namespace maya {

class KnownValues {
 public:
  void learn(uintptr_t address, size_t bytes);
  void forget_range(uintptr_t address, size_t bytes);
  // As a range, of a piece of memory that the program's own allocator has handed out.
  void forget_block(Block block);
  // Something of unknown extent was written through `address`: all that it may reach is lost, and so is what
  // lies behind addresses that are known to stand there.
  void forget_reachable(uintptr_t address);
  // Runs `work` and gives what it would have made this thread forget; nothing is forgotten.
  template <typename Work>
  static std::vector<Block> forgotten_by(Work work) {
    std::vector<Block> found;
    postponed_ = &found;
    work();
    postponed_ = nullptr;
    return found;
  }
  bool knows_any(uintptr_t address, size_t bytes);
  bool knows(uintptr_t address, size_t bytes) { return known_prefix(address, bytes) == bytes; }
  // How many bytes from `address` on are known without a gap.
  size_t known_prefix(uintptr_t address, size_t bytes);
  // Copies known bytes, zeros elsewhere; true when all were known.
  bool read(void* to, uintptr_t address, size_t bytes);
  // Sets `mask` to 1 for each byte that is known, to 0 for others; how many are known.
  size_t mask(uint8_t* mask, uintptr_t address, size_t bytes);

 private:
  // `held`: gets the device addresses among what was known.
  void forget_range(uintptr_t address, size_t bytes, std::vector<uintptr_t>* held);
  // The known parts of a range, in order, each given to `visit` as start and end.
  template <typename Visit>
  void each_part(uintptr_t address, size_t bytes, Visit visit);

  static thread_local std::vector<Block>* postponed_;

  std::mutex lock_;
  std::atomic<bool> any_{false};  // nothing was ever learnt: launches of plain programs need not look
  std::map<uintptr_t, uintptr_t> ranges_;  // start -> end, disjoint
};

KnownValues& known_values();

}  // namespace maya
