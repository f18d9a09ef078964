// Others are kept away from the core for a while, by those who may, and never for longer.
#include "../../core/steps/held_core.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "../expect.h"
#include "maya/record.h"
#include "maya/runtime.h"

namespace {

constexpr uint64_t kLongNs = 60'000'000'000;
// Never destroyed, as the recorder: the watch may tell something while the process ends.
std::vector<std::string>& texts = *new std::vector<std::string>;
std::vector<std::string>& told = *new std::vector<std::string>;
maya::Config settings;

bool may_hold() {
  sched_param lowest{sched_get_priority_min(SCHED_RR)};
  if (sched_setscheduler(0, SCHED_RR, &lowest) != 0) return false;
  sched_param none{0};
  return sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

int policy(pid_t thread) {
  return sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
}

int cores(pid_t thread) {
  cpu_set_t set;
  return sched_getaffinity(thread, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

template <typename What>
int in_a_child(What what) {
  pid_t child = fork();
  if (child == 0) _exit(what(0));
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

namespace maya {

const Config& config() {
  return settings;
}
int64_t intern(const char* text) {
  texts.push_back(text);
  return static_cast<int64_t>(texts.size()) - 1;
}
void note(Schema&, Values values, uint16_t, uint64_t, uint64_t) {
  told.push_back(texts[static_cast<size_t>(*values.begin())]);
}

}  // namespace maya

using maya::hold_core;
using maya::release_core;

namespace {

void threads_that_ask_the_device_are_held_and_let_go() {
  bool allowed = may_hold();
  std::atomic<pid_t> other{0}, stranger{0};
  std::atomic<bool> over{false};
  std::thread thread([&] {
    maya::join_held_core();
    other = gettid();
    while (!over) usleep(1000);
  });
  std::thread worker([&] {
    stranger = gettid();
    while (!over) usleep(1000);
  });
  maya::join_held_core();
  while (!other || !stranger) usleep(1000);
  int before = cores(0);
  hold_core(kLongNs, 0);
  CHECK(cores(0) == (allowed ? 1 : before) && cores(other) == cores(0));
  int expected = allowed ? SCHED_RR : SCHED_OTHER;
  CHECK(policy(0) == expected && policy(other) == expected);
  CHECK(policy(stranger) == SCHED_OTHER && cores(stranger) == before);
  CHECK(in_a_child(policy) == SCHED_OTHER && in_a_child(cores) == before);
  release_core();
  CHECK(cores(0) == before && cores(other) == before);
  CHECK(policy(0) == SCHED_OTHER && policy(other) == SCHED_OTHER);
  CHECK(told == (allowed ? std::vector<std::string>{"begin", "end"} : std::vector<std::string>{}));
  over = true;
  thread.join();
  worker.join();
}

void a_program_that_spins_is_let_go_in_time() {
  maya::join_held_core();
  hold_core(100'000'000, -1);
  while (policy(0) != SCHED_OTHER) {
  }
  CHECK(policy(0) == SCHED_OTHER);
}

void nobody_is_held_who_does_not_want_it() {
  maya::join_held_core();
  settings.hold_core = false;
  hold_core(kLongNs, 0);
  CHECK(policy(0) == SCHED_OTHER && told.empty());
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"threads_that_ask_the_device_are_held_and_let_go",
           threads_that_ask_the_device_are_held_and_let_go},
          {"a_program_that_spins_is_let_go_in_time", a_program_that_spins_is_let_go_in_time},
          {"nobody_is_held_who_does_not_want_it", nobody_is_held_who_does_not_want_it},
      },
      count, arguments);
}
