#include "virtual/settler.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>

#include "clock.h"
#include "exchange/stall.h"
#include "virtual/clock_link.h"
#include "virtual/meeting.h"

namespace maya {
namespace {

constexpr uint64_t kPatienceNs = 20'000'000;    // for one meeting where there is no other
constexpr uint64_t kShortPatienceNs = 500'000;  // and where there are

// Never destroyed: the thread outlives the exit handlers. Waits have no end, since one with an end would be
// one of virtual time.
std::condition_variable& change() {
  static auto* instance = new std::condition_variable;
  return *instance;
}
std::condition_variable& work() {
  static auto* instance = new std::condition_variable;
  return *instance;
}

}  // namespace

void Settler::give(const std::shared_ptr<Progress>& stream, PendingStep step) {
  StreamTimes& times = stream->times;
  if (times.pending.empty() && step.take()) return;
  if (times.pending.empty()) streams_.push_back(stream);
  times.pending.push_back(std::move(step));
  times.given++;
  if (!running_) start();
  work().notify_one();
}

void Settler::await(std::unique_lock<std::mutex>& held, const std::function<bool()>& is_so) {
  if (is_so()) return;
  AwaitsRank awaits;
  Waiting waiting("another rank's part in a collective");
  change().wait(held, is_so);
}

bool Settler::has_pending(int device) const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [&](const auto& stream) { return stream->device == device; });
}

void Settler::start() {
  pthread_t thread;
  auto run = [](void* self) -> void* { static_cast<Settler*>(self)->run(); };
  running_ = pthread_create(&thread, nullptr, run, this) == 0;
  if (running_) pthread_detach(thread);
}

void Settler::run() {
  for (;;) {
    std::vector<std::shared_ptr<Meeting>> open;
    {
      std::unique_lock<std::mutex> guard(lock_);
      work().wait(guard, [&] { return !streams_.empty(); });
      while (take_steps()) change().notify_all();
      open = meetings();
    }
    uint64_t patience_ns = open.size() == 1 ? kPatienceNs : kShortPatienceNs;
    for (const auto& meeting : open) meeting->listen(monotonic_ns() + patience_ns);
  }
}

// Whether any could be taken.
bool Settler::take_steps() {
  bool any = false;
  for (const auto& stream : streams_) {
    StreamTimes& times = stream->times;
    while (!times.pending.empty() && times.pending.front().take()) {
      times.pending.pop_front();
      times.taken++;
      any = true;
    }
  }
  auto done = [](const auto& stream) { return stream->times.pending.empty(); };
  streams_.erase(std::remove_if(streams_.begin(), streams_.end(), done), streams_.end());
  return any;
}

std::vector<std::shared_ptr<Meeting>> Settler::meetings() const {
  std::vector<std::shared_ptr<Meeting>> found;
  for (const auto& stream : streams_) {
    const auto& meeting = stream->times.pending.front().meeting;
    if (meeting && !meeting->complete()) found.push_back(meeting);
  }
  return found;
}

}  // namespace maya
