// Sleeping on a word of shared memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace maya {

// Returns when `word` no longer holds `seen`, when somebody wakes it, or after `timeout_ns`.
void sleep_on(std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns);
void wake_all(std::atomic<uint32_t>& word);

}  // namespace maya
