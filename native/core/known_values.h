// Which ranges of device addresses hold bytes that the host put there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace maya {

class KnownValues {
 public:
  void learn(uintptr_t address, size_t bytes);
  void forget_range(uintptr_t address, size_t bytes);
  // Something of unknown extent was written from `address` on: the rest of the range that holds it is lost.
  void forget_from(uintptr_t address);
  bool knows(uintptr_t address, size_t bytes) { return known_prefix(address, bytes) == bytes; }
  // How many bytes from `address` on are known without a gap.
  size_t known_prefix(uintptr_t address, size_t bytes);
  // Copies known bytes, zeros elsewhere; true when all were known.
  bool read(void* to, uintptr_t address, size_t bytes);

 private:
  std::mutex lock_;
  std::map<uintptr_t, uintptr_t> ranges_;  // start -> end, disjoint
};

KnownValues& known_values();

}  // namespace maya
