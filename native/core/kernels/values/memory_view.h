// Device memory as an evaluator sees it: bytes, and which of them are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "assumptions.h"

namespace maya {

// Bytes read at once. What an operand reaches beyond this is not evaluated.
constexpr size_t kLargestView = size_t{1} << 20;

struct MemoryView {
  uintptr_t address = 0;
  std::vector<char> bytes;
  std::vector<uint8_t> known;
  bool any = false;

  bool knows(size_t offset, size_t width) const;
};

// Host memory is always known.
MemoryView view_memory(uintptr_t address, size_t bytes);

// What a kernel writes: for each byte of a range whether it becomes known, unknown or stays as it was.
struct MemoryUpdate {
  enum State : uint8_t { kept = 0, unknown, known };

  uintptr_t address = 0;
  std::vector<char> bytes;
  std::vector<uint8_t> states;
  std::vector<std::pair<size_t, Assumption>> assumed;

  MemoryUpdate(uintptr_t where, size_t size) : address(where), bytes(size), states(size, kept) {}
  void lose(size_t offset, size_t width);
  void assume(size_t offset, const Assumption& assumption);  // unknown, but for the host
  char* give(size_t offset, size_t width);                   // where the value is to be stored
};

void apply_update(const MemoryUpdate& update);

}  // namespace maya
