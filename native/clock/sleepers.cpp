#include "sleepers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "real.h"
#include "thread_time.h"

namespace maya::clock {
namespace {

constexpr uint64_t kFirstNapNs = 100'000, kLongestNapNs = 2'000'000;

// The letter behind the name in /proc/PID/task/TID/stat: R runs or would, D waits for a disk.
bool can_run(const char* path) {
  char text[512];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[std::max<ssize_t>(bytes, 0)] = '\0';
  const char* name_end = std::strrchr(text, ')');
  return name_end && name_end[1] && (name_end[2] == 'R' || name_end[2] == 'D');
}

bool process_runs(int32_t process, long own_thread) {
  char path[80];
  std::snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR* tasks = opendir(path);
  if (!tasks) return false;  // it has ended
  bool runs = false;
  while (dirent* task = runs ? nullptr : readdir(tasks)) {
    long number = std::atol(task->d_name);
    if (number <= 0 || number == own_thread) continue;
    std::snprintf(path, sizeof path, "/proc/%d/task/%ld/stat", process, number);
    runs = can_run(path);
  }
  closedir(tasks);
  return runs;
}

class Sleeper {
 public:
  Sleeper(Page& page, int64_t at_ns) : page_(page), at_ns_(at_ns) {
    for (auto& slot : page.sleepers) {
      int64_t free = kAwake;
      if (!slot.compare_exchange_strong(free, at_ns)) continue;
      slot_ = &slot;
      return;
    }
  }
  ~Sleeper() {
    if (slot_) slot_->store(kAwake);
  }
  Sleeper(const Sleeper&) = delete;

  bool is_first() const {
    return std::none_of(std::begin(page_.sleepers), std::end(page_.sleepers), [&](const auto& other) {
      int64_t until = other.load(std::memory_order_relaxed);
      return until != kAwake && until < at_ns_;
    });
  }

 private:
  Page& page_;
  int64_t at_ns_;
  std::atomic<int64_t>* slot_ = nullptr;
};

}  // namespace

bool nobody_runs(const Page& page) {
  if (page.held.load() > 0) return false;
  long own_thread = syscall(SYS_gettid);
  return std::none_of(std::begin(page.processes), std::end(page.processes), [&](const auto& slot) {
    int32_t process = slot.load(std::memory_order_relaxed);
    return process && process_runs(process, own_thread);
  });
}

void sleep_until(Page& page, int64_t at_ns) {
  enter(page);
  {
    Sleeper sleeper(page, at_ns);
    uint64_t nap_ns = kFirstNapNs;
    while (page.furthest_ns.load() < at_ns) {
      int64_t before = page.furthest_ns.load();
      real_sleep(nap_ns);
      nap_ns = std::min(2 * nap_ns, kLongestNapNs);
      if (page.furthest_ns.load() == before && sleeper.is_first() && nobody_runs(page)) publish(page, at_ns);
    }
  }
  wait_until(page, at_ns);
  leave(page);
}

}  // namespace maya::clock
