#include "steps/held_core.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "maya/record.h"
#include "maya/runtime.h"

namespace maya {
namespace {

// Children and new threads are ordinary ones: only what was there when the steps were found is held.
constexpr int kPolicy = SCHED_RR | SCHED_RESET_ON_FORK;

std::atomic<bool> held{false};
pid_t holder = 0;
std::vector<pid_t>& threads() {
  static std::vector<pid_t>* instance = new std::vector<pid_t>;
  return *instance;
}

std::vector<pid_t> ordinary_threads() {
  std::vector<pid_t> found;
  DIR* directory = opendir("/proc/self/task");
  if (!directory) return found;
  while (dirent* entry = readdir(directory)) {
    pid_t thread = std::atoi(entry->d_name);
    if (thread > 0 && sched_getscheduler(thread) == SCHED_OTHER) found.push_back(thread);
  }
  closedir(directory);
  return found;
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

void hold_core(uint64_t most_ns) {
  if (!config().hold_core || most_ns == 0 || held.load()) return;
  std::vector<pid_t> found = ordinary_threads();
  if (!start_watch(most_ns)) return;
  sched_param lowest{sched_get_priority_min(SCHED_RR)};
  for (pid_t thread : found) sched_setscheduler(thread, kPolicy, &lowest);
  threads() = found;
  holder = getpid();
  held.store(true);
  tell("begin");
}

void release_core() {
  if (!held.exchange(false) || holder != getpid()) return;
  sched_param none{0};
  for (pid_t thread : threads()) sched_setscheduler(thread, SCHED_OTHER, &none);
  tell("end");
}

}  // namespace maya
