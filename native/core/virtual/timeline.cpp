#include "virtual/timeline.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "clock.h"
#include "virtual/clock_link.h"
#include "virtual/durations.h"
#include "virtual/meeting.h"
#include "virtual/settler.h"

namespace maya {
namespace {

constexpr unsigned kNonBlocking = 1;
// Who asks whether work is done takes up virtual time with asking. Where only another rank's word is missing,
// which takes none, each answer waits a moment for it.
constexpr uint64_t kAskNapNs = 200'000;
constexpr int kAskNaps = 25;

struct Timeline {
  std::mutex lock;  // of all that follows, and of the times of every stream
  std::map<int, DeviceClock> devices;
  std::set<std::shared_ptr<Progress>> streams;  // that had work
  Settler settler{lock};

  DeviceClock& of(int device) { return devices.try_emplace(device, virtual_settings()).first->second; }
};

Timeline& timeline() {
  static Timeline* instance = new Timeline;
  return *instance;
}

StreamKind kind_of(Stream& stream) {
  if (&default_stream(stream.device) == &stream) return StreamKind::legacy;
  return stream.flags & kNonBlocking ? StreamKind::independent : StreamKind::blocking;
}

// A place in the stream's queue, with the lock. When the host has it.
int64_t await_room(Timeline& all, std::unique_lock<std::mutex>& held, Stream& stream, int64_t now_ns) {
  StreamTimes& times = stream.progress->times;
  all.settler.await(held, [&] { return times.pending.size() < virtual_settings().queue_limit; });
  return all.of(stream.device).room_ns(times, now_ns);
}

std::vector<GraphWork> work_of(const GraphExec& exec) {
  std::vector<GraphWork> nodes;
  AttentionLengths lengths = attention_lengths();
  for (const Node& node : exec.nodes) {
    int64_t ns = node.definition ? work_time(node.definition).for_lengths(lengths) : 0;
    nodes.push_back({ns, node.depends_on});
  }
  return nodes;
}

// In a graph the ranks meet where it begins: they launch the same one, and hardly part on the way.
std::shared_ptr<Meeting> meeting_of(const GraphExec& exec) {
  std::set<CommunicatorRef> groups;
  for (const Node& node : exec.nodes) {
    if (node.meets) groups.insert(node.meets);
  }
  if (groups.empty()) return nullptr;
  std::vector<CommunicatorRef> ordered(groups.begin(), groups.end());
  std::sort(ordered.begin(), ordered.end(), [](auto& one, auto& other) { return one->id < other->id; });
  auto meeting = std::make_shared<Meeting>();
  for (const CommunicatorRef& comm : ordered) meeting->with_all(comm);
  return meeting;
}

// `run` gets when the last of the others came.
PendingStep after_meeting(const std::shared_ptr<Progress>& stream, StreamKind kind, int64_t now_ns,
                          std::shared_ptr<Meeting> meeting, std::function<void(int64_t)> run) {
  auto told = std::make_shared<bool>(false);
  auto take = [=] {
    if (meeting && !std::exchange(*told, true))
      meeting->arrive(timeline().of(stream->device).arrival(stream->times, kind, now_ns));
    if (meeting && !meeting->complete()) return false;
    run(meeting ? meeting->others_ns() : 0);
    return true;
  };
  return {take, meeting};
}

// Like seats at one table: calls of a group on one stream are one kernel, in which those of one direction
// share the links.
int64_t group_ns(const std::vector<Attendance>& calls) {
  int64_t longest = 0;
  double sending = 0, receiving = 0;
  for (const Attendance& call : calls) {
    WorkTime time = work_time(call.definition);
    longest = std::max(longest, time.duration_ns);
    (call.operation.what == Collective::send ? sending : receiving) += static_cast<double>(time.link_ns);
  }
  return std::max(longest, static_cast<int64_t>(std::max(sending, receiving)));
}

// What had its time before the collective had its own.
void slow_down_others(DeviceClock& device, const std::shared_ptr<Progress>& own) {
  std::set<std::shared_ptr<Progress>>& known = timeline().streams;
  for (const auto& other : known) {
    if (other != own && other->device == own->device) device.slow_down(other->times);
  }
}

// As in src/maya/simulator/work.py, check_ns: messages of pairs are not checked.
int64_t check_ns(const Operation& call) {
  bool direct = call.what == Collective::send || call.what == Collective::recv;
  return call.comm->checked && !direct ? virtual_settings().check_member_ns * call.comm->nranks : 0;
}

void attend_on(Stream& stream, const std::vector<Attendance>& calls) {
  for (const Attendance& call : calls) virtual_clock->spend(check_ns(call.operation));
  auto meeting = std::make_shared<Meeting>();
  for (const Attendance& call : calls) meeting->with(call.operation, work_time(call.definition).host_waits);
  int64_t duration_ns = group_ns(calls), now = virtual_clock->now_ns();
  StreamKind kind = kind_of(stream);
  Timeline& all = timeline();
  std::unique_lock<std::mutex> held(all.lock);
  now = await_room(all, held, stream, now);
  std::shared_ptr<Progress> progress = stream.progress;
  auto run = [=](int64_t others_ns) {
    DeviceClock& device = timeline().of(progress->device);
    device.meet(progress->times, kind, now, others_ns, duration_ns);
    slow_down_others(device, progress);
  };
  all.settler.give(progress, after_meeting(progress, kind, now, meeting, run));
  held.unlock();
  await_time(now);
}

void keep_in_graph(const Attendance& call) {
  const std::vector<size_t>& tail = call.stream->capture_tail;
  bool direct = call.operation.what == Collective::send || call.operation.what == Collective::recv;
  if (!tail.empty() && !direct) call.stream->capture->graph->nodes[tail.back()]->meets = call.operation.comm;
}

// Whether the moment of the event is known, which the event then has.
bool look_at(Event& event) {
  if (!event.moment) return true;
  if (!event.moment->known()) return false;
  event.time_ns = static_cast<uint64_t>(event.moment->at_ns.load());
  event.moment = nullptr;
  return true;
}

template <typename Question>
bool ask(Question question) {
  for (int naps = 0; !question(); ++naps) {
    if (naps == kAskNaps) return false;
    real_nap(kAskNapNs);
  }
  return true;
}

bool is_over(int64_t at_ns) {
  return virtual_clock->now_ns() >= at_ns;
}

}  // namespace

void attend(const std::vector<Attendance>& calls) {
  if (!virtual_clock) return;
  std::map<Stream*, std::vector<Attendance>> streams;
  for (const Attendance& call : calls) {
    if (call.stream->capture) {
      keep_in_graph(call);
    } else {
      streams[call.stream].push_back(call);
    }
  }
  for (const auto& [stream, own] : streams) attend_on(*stream, own);
}

Span foreseen(uint32_t definition) {
  int64_t now = virtual_clock->now_ns();
  return {now, now + work_time(definition).duration_ns};
}

Span run_work(Stream& stream, uint32_t definition) {
  WorkTime time = work_time(definition);
  int64_t duration_ns = time.for_lengths(attention_lengths());
  double share = time.share;
  StreamKind kind = kind_of(stream);
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  auto span = std::make_shared<Span>();
  {
    std::unique_lock<std::mutex> held(all.lock);
    now = await_room(all, held, stream, now);
    *span = {now, now + duration_ns};
    std::shared_ptr<Progress> progress = stream.progress;
    all.streams.insert(progress);
    auto take = [=] {
      *span = timeline().of(progress->device).work(progress->times, kind, now, {duration_ns, share});
      return true;
    };
    all.settler.give(progress, {take, nullptr});
  }
  await_time(now);
  if (time.host_waits) await_stream(stream);
  std::lock_guard<std::mutex> guard(all.lock);
  return *span;
}

std::vector<Span> run_graph(Stream& stream, const GraphExec& exec) {
  auto nodes = std::make_shared<std::vector<GraphWork>>(work_of(exec));
  std::shared_ptr<Meeting> meeting = meeting_of(exec);
  StreamKind kind = kind_of(stream);
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  auto spans = std::make_shared<std::vector<Span>>();
  {
    std::unique_lock<std::mutex> held(all.lock);
    now = await_room(all, held, stream, now);
    for (const GraphWork& node : *nodes) spans->push_back({now, now + node.duration_ns});
    std::shared_ptr<Progress> progress = stream.progress;
    auto run = [=](int64_t others_ns) {
      *spans = timeline().of(progress->device).graph(progress->times, kind, now, others_ns, *nodes);
    };
    all.settler.give(progress, after_meeting(progress, kind, now, meeting, run));
  }
  await_time(now);
  std::lock_guard<std::mutex> guard(all.lock);
  return *spans;
}

void run_event(Stream& stream, Event& event) {
  Timeline& all = timeline();
  int64_t now = virtual_clock->now_ns();
  std::lock_guard<std::mutex> guard(all.lock);
  auto moment = std::make_shared<Moment>();
  std::shared_ptr<Progress> progress = stream.progress;
  auto take = [=] {
    moment->at_ns = timeline().of(progress->device).event(progress->times, now);
    return true;
  };
  all.settler.give(progress, {take, nullptr});
  event.moment = moment;
  look_at(event);
}

void hold_stream(Stream& stream, Event& event) {
  Timeline& all = timeline();
  std::lock_guard<std::mutex> guard(all.lock);
  look_at(event);
  MomentRef moment = event.moment;
  auto known_ns = static_cast<int64_t>(event.time_ns);
  std::shared_ptr<Progress> progress = stream.progress;
  auto take = [=] {
    if (moment && !moment->known()) return false;
    int64_t until_ns = moment ? moment->at_ns.load() : known_ns;
    timeline().of(progress->device).hold(progress->times, until_ns);
    return true;
  };
  all.settler.give(progress, {take, nullptr});
}

void await_time(int64_t at_ns) {
  virtual_clock->wait_until(at_ns);
}

void await_event(Event& event) {
  Timeline& all = timeline();
  {
    std::unique_lock<std::mutex> held(all.lock);
    all.settler.await(held, [&] { return look_at(event); });
  }
  await_time(static_cast<int64_t>(event.time_ns));
}

void await_stream(Stream& stream) {
  Timeline& all = timeline();
  StreamTimes& times = stream.progress->times;
  int64_t free_ns;
  {
    std::unique_lock<std::mutex> held(all.lock);
    uint64_t given = times.given;
    all.settler.await(held, [&] { return times.pending.empty() || times.taken >= given; });
    free_ns = times.free_ns;
  }
  await_time(free_ns);
}

void await_device(int device) {
  Timeline& all = timeline();
  int64_t free_ns;
  {
    std::unique_lock<std::mutex> held(all.lock);
    all.settler.await(held, [&] { return !all.settler.has_pending(device); });
    free_ns = all.of(device).device().all_ns;
  }
  await_time(free_ns);
}

bool is_past(Event& event) {
  Timeline& all = timeline();
  bool known = ask([&] {
    std::lock_guard<std::mutex> guard(all.lock);
    return look_at(event);
  });
  return known && is_over(static_cast<int64_t>(event.time_ns));
}

bool is_free(Stream& stream) {
  Timeline& all = timeline();
  StreamTimes& times = stream.progress->times;
  int64_t free_ns = 0;
  bool known = ask([&] {
    std::lock_guard<std::mutex> guard(all.lock);
    free_ns = times.free_ns;
    return times.pending.empty();
  });
  return known && is_over(free_ns);
}

}  // namespace maya
