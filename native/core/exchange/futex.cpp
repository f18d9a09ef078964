#include "futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace maya {

// Not FUTEX_PRIVATE: the word lives in a file that several processes map.
void sleep_on(std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns) {
  timespec timeout;
  timeout.tv_sec = static_cast<time_t>(timeout_ns / 1000000000u);
  timeout.tv_nsec = static_cast<long>(timeout_ns % 1000000000u);
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace maya
