#include "maya/progress.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace maya {
namespace {

// A host is seldom further ahead of its device than the 1024 launches that the driver queues.
constexpr uint64_t kLongestQueue = 1024;
constexpr int kPatience = 3;  // polls of the same work with nothing submitted in between

std::atomic<uint64_t> submitted{0};

struct Devices {
  std::mutex lock;  // of everything in any Progress but `last`
  std::map<int, uint64_t> completed;
};

Devices& devices() {
  static Devices* instance = new Devices;
  return *instance;
}

bool is_done(Devices& all, const Progress& stream, uint64_t number) {
  if (number <= stream.completed || submitted.load() - number >= kLongestQueue) return true;
  auto device = all.completed.find(stream.device);
  return device != all.completed.end() && number <= device->second;
}

// Whatever the stream had waited for up to here is done as well.
void complete_locked(Progress& stream, uint64_t number) {
  if (number <= stream.completed) return;
  stream.completed = number;
  std::vector<Wait> over;
  auto open = std::partition(stream.waits.begin(), stream.waits.end(),
                             [&](const Wait& wait) { return wait.position > number; });
  std::move(open, stream.waits.end(), std::back_inserter(over));
  stream.waits.erase(open, stream.waits.end());
  for (const Wait& wait : over) complete_locked(*wait.on, wait.number);
}

bool poll_locked(Devices& all, Progress& stream, uint64_t number, Polls& polls) {
  if (is_done(all, stream, number)) return true;
  uint64_t now = submitted.load();
  polls.repeats = polls.at == now ? polls.repeats + 1 : 1;
  polls.at = now;
  if (polls.repeats < kPatience) return false;
  complete_locked(stream, number);
  return true;
}

}  // namespace

void note_submission(Progress& stream) {
  stream.last.store(++submitted, std::memory_order_relaxed);
}

void note_wait(Progress& waiting, const Point& point) {
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  if (!point.stream || point.stream.get() == &waiting || is_done(all, *point.stream, point.number)) return;
  note_submission(waiting);
  auto& waits = waiting.waits;
  waits.erase(std::remove_if(waits.begin(), waits.end(),
                             [&](const Wait& wait) { return is_done(all, *wait.on, wait.number); }),
              waits.end());
  waits.push_back({waiting.last.load(), point.stream, point.number});
}

Point point_at_end(const std::shared_ptr<Progress>& stream) {
  return {stream, stream->last.load(std::memory_order_relaxed), {}};
}

void complete(const Point& point) {
  if (!point.stream) return;
  std::lock_guard<std::mutex> guard(devices().lock);
  complete_locked(*point.stream, point.number);
}

void complete_stream(const std::shared_ptr<Progress>& stream) {
  complete(point_at_end(stream));
}

void complete_device(int device) {
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  all.completed[device] = submitted.load();
}

bool poll(Point& point) {
  if (!point.stream) return true;
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  return poll_locked(all, *point.stream, point.number, point.polls);
}

bool poll_stream(Progress& stream) {
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  return poll_locked(all, stream, stream.last.load(), stream.polls);
}

bool surely_pending(const Point& point) {
  if (!point.stream || submitted.load() != point.number) return false;
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  return !is_done(all, *point.stream, point.number);
}

}  // namespace maya
