#include "steps/backward.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_set>

namespace maya {

// PyTorch names its backward threads "pt_autograd_<device>" (since 2.6; in older ones plain optimisers are
// not recognised).
bool on_backward_thread() {
  thread_local const bool answer = [] {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::strncmp(name, "pt_autograd", 11) == 0;
  }();
  return answer;
}

namespace {

struct Gradients {
  std::mutex lock;
  std::unordered_set<uintptr_t> made;  // last written by backward
  std::atomic<bool> any{false};        // read on every launch, without the lock
  std::atomic<bool> watched{true};
};

Gradients& gradients() {
  static Gradients* instance = new Gradients;
  return *instance;
}

bool concerned(const Gradients& all) {
  return all.watched.load(std::memory_order_relaxed) &&
         (all.any.load(std::memory_order_relaxed) || on_backward_thread());
}

bool among(const uintptr_t* list, size_t count, uintptr_t address) {
  return std::find(list, list + count, address) != list + count;
}

}  // namespace

void device_written(uintptr_t address) {
  Gradients& all = gradients();
  if (!concerned(all)) return;
  std::lock_guard<std::mutex> guard(all.lock);
  if (on_backward_thread()) {
    all.made.insert(address);
    all.any = true;
  } else {
    all.made.erase(address);
  }
}

void Operands::reads(uintptr_t address) {
  if (reads_ < kMost) read_[reads_++] = address;
}

void Operands::writes(uintptr_t address) {
  if (writes_ < kMost) written_[writes_++] = address;
}

void Operands::touches(uintptr_t address) {
  if (touches_ < kMost) touched_[touches_++] = address;
}

bool Operands::read_gradient() const {
  Gradients& all = gradients();
  if (!concerned(all)) return false;
  if (on_backward_thread()) {
    for (size_t i = 0; i < writes_; ++i) device_written(written_[i]);
    return false;
  }
  std::lock_guard<std::mutex> guard(all.lock);
  bool found = false;
  // What is changed in place stays what it was: a scaled gradient is still one, and a counter that backward
  // advanced (in a recomputed forward) does not become one by being advanced again.
  for (size_t i = 0; i < reads_; ++i) {
    found |= !among(written_, writes_, read_[i]) && all.made.count(read_[i]);
  }
  for (size_t i = 0; i < writes_; ++i) {
    if (!among(read_, reads_, written_[i])) all.made.erase(written_[i]);
  }
  // Memory is used again: what may have been overwritten since backward is no gradient for sure.
  for (size_t i = 0; i < touches_; ++i) all.made.erase(touched_[i]);
  return found;
}

void forget_gradients() {
  Gradients& all = gradients();
  std::lock_guard<std::mutex> guard(all.lock);
  all.made.clear();
  all.any = false;
}

void stop_watching_gradients() {
  gradients().watched = false;
}

bool watching_gradients() {
  return gradients().watched.load(std::memory_order_relaxed);
}

}  // namespace maya
