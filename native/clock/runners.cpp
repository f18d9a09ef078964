#include "runners.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace maya::clock {
namespace {

// Whoever was found last is asked first: most looks end there.
thread_local Runner last;

struct Text {
  char bytes[512];
};

bool read_file(const Runner& thread, const char* name, Text& text) {
  char path[96];
  std::snprintf(path, sizeof path, "/proc/%d/task/%ld/%s", thread.process, thread.thread, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t bytes = read(file, text.bytes, sizeof text.bytes - 1);
  close(file);
  if (bytes <= 0) return false;
  text.bytes[bytes] = '\0';
  return true;
}

// The letter behind the name in stat: R runs or would, D waits for a disk.
bool can_run_by_stat(const Runner& thread) {
  Text text;
  if (!read_file(thread, "stat", text)) return false;
  const char* name_end = std::strrchr(text.bytes, ')');
  return name_end && name_end[1] && (name_end[2] == 'R' || name_end[2] == 'D');
}

// A thread in any other call may be waiting for a disk.
bool waits_for_others(long call) {
  static constexpr long kWaits[] = {SYS_futex,           SYS_poll,           SYS_ppoll,  SYS_select,
                                    SYS_pselect6,        SYS_wait4,          SYS_waitid, SYS_epoll_wait,
                                    SYS_epoll_pwait,     SYS_nanosleep,      SYS_accept, SYS_accept4,
                                    SYS_recvfrom,        SYS_recvmsg,        SYS_pause,  SYS_epoll_pwait2,
                                    SYS_clock_nanosleep, SYS_rt_sigtimedwait};
  return std::find(std::begin(kWaits), std::end(kWaits), call) != std::end(kWaits);
}

// "syscall" costs a tenth of "stat", but only those may read it who may trace the process. It says "running",
// the number of the system call that the thread is blocked in, or -1 outside of any:
// waiting for a page of memory, stopped, or ended.
bool can_run(const Runner& thread) {
  Text text;
  if (!read_file(thread, "syscall", text)) return can_run_by_stat(thread);
  if (std::strncmp(text.bytes, "running", 7) == 0) return true;
  return !waits_for_others(std::atol(text.bytes)) && can_run_by_stat(thread);
}

Runner runner_of(int32_t process, long own_thread) {
  char path[80];
  std::snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR* tasks = opendir(path);
  if (!tasks) return {};  // it has ended
  Runner found;
  while (dirent* task = found.found() ? nullptr : readdir(tasks)) {
    Runner thread{process, std::atol(task->d_name)};
    if (thread.thread > 0 && thread.thread != own_thread && can_run(thread)) found = thread;
  }
  closedir(tasks);
  return found;
}

}  // namespace

Runner find_runner(const Page& page) {
  long own_thread = syscall(SYS_gettid);
  if (last.found() && last.thread != own_thread && can_run(last)) return last;
  last = {};
  for (const auto& slot : page.processes) {
    int32_t process = slot.load(std::memory_order_relaxed);
    if (process) last = runner_of(process, own_thread);
    if (last.found()) break;
  }
  return last;
}

uint64_t cpu_ns(const Runner& runner) {
  Text text;
  return read_file(runner, "schedstat", text) ? std::strtoull(text.bytes, nullptr, 10) : 0;
}

}  // namespace maya::clock
