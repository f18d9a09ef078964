#include "steps/held_core.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

#include "maya/record.h"
#include "maya/runtime.h"

namespace maya {
namespace {

// Children and new threads are ordinary ones: only what was there when the steps were found is held.
constexpr int kPolicy = SCHED_RR | SCHED_RESET_ON_FORK;

struct Thread {
  pid_t number;
  cpu_set_t cores;  // where it may run otherwise
};

std::atomic<bool> held{false};
pid_t holder = 0;
cpu_set_t held_on;
std::vector<Thread>& threads() {
  static std::vector<Thread>* instance = new std::vector<Thread>;
  return *instance;
}

// Those that ask the device for something. Others, such as a library's own workers, spin while they wait for
// each other: on one core, and with a priority, they would burn what they wait for.
std::mutex joined_lock;
std::set<pid_t>& joined() {
  static std::set<pid_t>* instance = new std::set<pid_t>;
  return *instance;
}

bool asks_the_device(pid_t thread) {
  std::lock_guard guard(joined_lock);
  return joined().count(thread);
}

std::vector<Thread> ordinary_threads() {
  std::vector<Thread> found;
  DIR* directory = opendir("/proc/self/task");
  if (!directory) return found;
  while (dirent* entry = readdir(directory)) {
    Thread thread{std::atoi(entry->d_name), {}};
    if (thread.number <= 0 || sched_getscheduler(thread.number) != SCHED_OTHER) continue;
    if (sched_getaffinity(thread.number, sizeof thread.cores, &thread.cores) == 0) found.push_back(thread);
  }
  closedir(directory);
  return found;
}

// The thread that calls backward and the one that does it take turns. On two cores each finds what the other
// has written in the wrong cache, which takes a third longer (PyTorch, steps of 0.6 ms), and whether they
// are on two is the scheduler's mood.
cpu_set_t one_core(int rank) {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  int here = sched_getcpu();
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && rank >= 0) {
    int left = rank % CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &allowed) && left-- == 0) here = core;
    }
  }
  if (here >= 0) CPU_SET(here, &chosen);
  return chosen;
}

// A child has its own policy, but would keep the one core.
void free_child() {
  if (held.load()) sched_setaffinity(0, sizeof held_on, &threads().front().cores);
}

// Also where the program neither asks the device for anything nor ends: it may spin.
void* release_in_time(void* most) {
  uint64_t ns = reinterpret_cast<uint64_t>(most);
  timespec left{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left)) {
  }
  release_core();
  return nullptr;
}

// Itself before those that it is to release, with no signal of the program's.
bool start_watch(uint64_t most_ns) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_RR);
  sched_param above{sched_get_priority_min(SCHED_RR) + 1};
  pthread_attr_setschedparam(&attributes, &above);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t watch;
  int failed = pthread_create(&watch, &attributes, release_in_time, reinterpret_cast<void*>(most_ns));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return failed == 0;  // EPERM without the right
}

// Read by src/maya/simulator/undisturbed.py.
void tell(const char* what) {
  static const char* const fields[] = {"what:s"};
  static Schema schema{"core_held", Kind::info, fields, 1};
  note(schema, {intern(what)});
}

}  // namespace

void join_held_core() {
  std::lock_guard guard(joined_lock);
  joined().insert(static_cast<pid_t>(syscall(SYS_gettid)));  // gettid() is in glibc from 2.30 on
}

void hold_core(uint64_t most_ns, int rank) {
  if (!config().hold_core || most_ns == 0 || held.load()) return;
  std::vector<Thread> found = ordinary_threads();
  auto strange = [](const Thread& thread) { return !asks_the_device(thread.number); };
  found.erase(std::remove_if(found.begin(), found.end(), strange), found.end());
  if (found.empty() || !start_watch(most_ns)) return;
  sched_param lowest{sched_get_priority_min(SCHED_RR)};
  cpu_set_t core = one_core(rank);
  for (const Thread& thread : found) {
    if (CPU_COUNT(&core)) sched_setaffinity(thread.number, sizeof core, &core);
    sched_setscheduler(thread.number, kPolicy, &lowest);
  }
  threads() = found;
  held_on = core;
  holder = getpid();
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, free_child); });
  held.store(true);
  tell("begin");
}

void release_core() {
  if (!held.exchange(false) || holder != getpid()) return;
  sched_param none{0};
  // Threads made meanwhile by those that were held have the one core, too.
  cpu_set_t core = held_on;
  for (const Thread& thread : ordinary_threads()) {
    if (!CPU_EQUAL(&thread.cores, &core)) continue;
    sched_setaffinity(thread.number, sizeof thread.cores, &threads().front().cores);
  }
  for (const Thread& thread : threads()) {
    sched_setscheduler(thread.number, SCHED_OTHER, &none);
    sched_setaffinity(thread.number, sizeof thread.cores, &thread.cores);
  }
  tell("end");
}

}  // namespace maya
