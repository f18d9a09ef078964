#include "stall.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "../clock.h"
#include "board.h"
#include "failure.h"
#include "main_thread.h"
#include "standstill.h"

namespace maya {
namespace {

constexpr uint64_t kBetweenLooksNs = 500'000'000;

// Long enough for a loaded machine to give every process its turn.
uint64_t stalled_after_ns() {
  const char* text = std::getenv("MAYA_STALL_SECONDS");
  double seconds = text && *text ? std::atof(text) : 10.0;
  return static_cast<uint64_t>(std::max(seconds, 0.0) * 1e9);
}

// Going through all processes of the machine is left out while anybody goes on.
bool look(bool stood_still) {
  std::string what = main_thread_waits_for();
  board_tell_wait(what);
  bool all_wait = !what.empty() && board_all_wait();
  board_tell_standstill(all_wait ? standstill_since(!stood_still) : 0);
  return all_wait;
}

void* watch(void*) {
  const uint64_t patience_ns = stalled_after_ns();
  bool all_wait = false;
  std::string who;
  while (who.empty()) {
    real_nap(kBetweenLooksNs);
    all_wait = look(all_wait);
    if (all_wait) who = board_cycle(patience_ns);
  }
  fail_job("the ranks wait for each other: " + who);
  return nullptr;
}

}  // namespace

Waiting::Waiting(const std::string& what) {
  rank_wait_begins(what);
}

Waiting::~Waiting() {
  rank_wait_ends();
}

void watch_for_stall() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watch, nullptr) == 0) {
    pthread_setname_np(thread, "maya_stall");
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace maya

void maya_rank_wait_begins(const char* what) {
  maya::rank_wait_begins(what);
}

void maya_rank_wait_ends() {
  maya::rank_wait_ends();
}
