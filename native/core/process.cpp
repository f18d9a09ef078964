#include "process.h"

#include <pthread.h>

#include <atomic>

#include "maya/device.h"
#include "recorder.h"

namespace maya {
namespace {

std::atomic<bool> watching{false};
std::atomic<bool> forked{false};

void enter_child() {
  forked = true;
  abandon_recorder();
}

}  // namespace

void watch_forks() {
  if (watching.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, enter_child);
}

bool usable_in_this_process() {
  return !forked;
}

}  // namespace maya
