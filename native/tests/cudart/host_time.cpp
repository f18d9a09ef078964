// Pieces of host time of which only a part is the program's own.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <vector>

#include "../../cudart/status.h"
#include "../expect.h"
#include "cudart.h"
#include "maya/record.h"

using namespace maya;

namespace {

constexpr int kRivals = 4;
constexpr long kWorkNs = 20'000'000;

long cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

void compute() {
  for (long end = cpu_ns() + kWorkNs; cpu_ns() < end;) {
  }
}

void call_the_device() {
  static void* block = nullptr;
  if (!block) EXPECT(kSuccess, cudaMalloc(&block, 256));
  EXPECT(kSuccess, cudaMemsetAsync(block, 0, 256, nullptr));
}

// This process and its rivals have one core between them.
std::vector<pid_t> share_a_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  std::vector<pid_t> rivals;
  while (rivals.size() < kRivals) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
      for (alarm(30);;) {
      }
    rivals.push_back(child);
  }
  return rivals;
}

void work_that_others_interrupt() {
  std::vector<pid_t> rivals = share_a_core();
  call_the_device();
  compute();
  call_the_device();
  for (pid_t rival : rivals) {
    kill(rival, SIGKILL);
    waitpid(rival, nullptr, 0);
  }
}

void work_behind_a_pause() {
  call_the_device();
  usleep(100'000);
  compute();
  call_the_device();
}

// What is done for the device's part, such as computing values, before it is recorded.
void call_that_computes() {
  call_the_device();
  compute();
  Call call;
  compute();
  call_the_device();
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"work_that_others_interrupt", work_that_others_interrupt},
          {"work_behind_a_pause", work_behind_a_pause},
          {"call_that_computes", call_that_computes},
      },
      count, arguments);
}
