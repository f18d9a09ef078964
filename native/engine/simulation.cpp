#include "simulation.h"

#include <algorithm>
#include <unordered_map>

namespace maya::engine {
namespace {

struct Shape {
  int64_t threads = 1;
  int64_t ring = 2;  // a power of two, above how far back calls look
};

uint64_t ring_of(int64_t limit) {
  uint64_t ring = 1;
  while (ring < static_cast<uint64_t>(limit)) ring *= 2;
  return ring;
}

Shape shape_of(const MayaProgram& p, int64_t begin, int64_t end) {
  Shape shape;
  int64_t reach = 0;
  for (int64_t i = begin; i < end; ++i) {
    shape.threads = std::max<int64_t>(shape.threads, p.thread[i] + 1);
    if (p.after[i] >= 0) reach = std::max(reach, i - p.after[i]);
  }
  while (shape.ring < reach + 2) shape.ring *= 2;
  return shape;
}

}  // namespace

Simulation::Simulation(const MayaProgram& program, const MayaSettings& settings, MayaResult& result)
    : p_(program),
      s_(settings),
      r_(result),
      timed_(settings.share_links || settings.share_devices),
      varied_(settings.jitter || settings.rank_slowness),
      ring_mask_(ring_of(settings.queue_limit) - 1),
      hosts_(program.rank_count),
      streams_(program.stream_count),
      devices_(program.device_count),
      transfers_(program.transfer_count),
      slot_ns_(program.slot_count, kUnknown),
      slot_waiters_(program.slot_count, -1),
      link_users_(program.resource_count),
      link_free_(program.resource_count, 0),
      link_weight_(program.resource_count, 0) {
  for (int64_t i = 0; i < p_.stream_count; ++i) {
    Stream& stream = streams_[i];
    stream.rank = p_.stream_rank[i];
    stream.device = p_.stream_device[i];
    stream.flags = p_.stream_flags[i] & (kLegacy | kBlocks);
    stream.high = p_.stream_flags[i] & kHigh;
    devices_[stream.device].streams.push_back(static_cast<int32_t>(i));
    if (stream.flags & kBlocks) devices_[stream.device].blocking.push_back(static_cast<int32_t>(i));
    Host& host = hosts_[stream.rank];
    if (host.device < 0) host.device = stream.device;
    if (host.device != stream.device) host.lone = false;
    if (stream.flags & kLegacy) devices_[stream.device].legacy = static_cast<int32_t>(i);
  }
  std::unordered_map<int64_t, Shape> shapes;
  for (int64_t rank = 0; rank < p_.rank_count; ++rank) {
    Host& host = hosts_[rank];
    host.next = host.first_call = p_.rank_begin[rank];
    host.end = p_.rank_end[rank];
    if (p_.rank_stream) {
      host.stream_base = p_.rank_stream[rank];
      host.device_base = p_.rank_device[rank];
      host.slot_base = p_.rank_slot[rank];
    }
    auto [found, made] = shapes.try_emplace(host.next);
    if (made) found->second = shape_of(p_, host.next, host.end);
    host.clock_ns.assign(found->second.threads, 0);
    host.blocked.assign(found->second.threads, 0);
    host.returned_by.assign(found->second.ring, 0);
    host.mask = found->second.ring - 1;
  }
  if (timed_) find_closed_transfers();
}

int Simulation::run() {
  for (int32_t rank = 0; rank < p_.rank_count; ++rank) run_host(rank);
  drain();
  while (wake_late_hosts()) drain();
  while (!events_.empty()) {
    Event event = events_.pop();
    now_ns_ = event.time_ns;
    handle(event);
    drain();
  }
  return finish();
}

void Simulation::drain() {
  while (!ready_streams_.empty() || !ready_hosts_.empty()) {
    if (!ready_streams_.empty()) {
      int32_t stream = ready_streams_.back();
      ready_streams_.pop_back();
      --devices_[streams_[stream].device].ready;
      advance(stream);
      continue;
    }
    int32_t rank = ready_hosts_.back();
    ready_hosts_.pop_back();
    hosts_[rank].queued = false;
    run_host(rank);
  }
}

// Without a clock hosts are woken late; those that now could go on must, before all is said to be done.
bool Simulation::wake_late_hosts() {
  for (Stream& stream : streams_) {
    if (!stream.host_waits || stream.launched - stream.started >= static_cast<uint64_t>(s_.queue_limit))
      continue;
    stream.host_waits = false;
    wake_host(stream.rank);
  }
  return !ready_hosts_.empty();
}

void Simulation::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::work_start:
      return begin_work(event.who);
    case EventKind::work_end:
      if (streams_[event.who].progress.version == event.version) end_work(event.who);
      return;
    case EventKind::arrival:
      return arrive(event.who, event.time_ns);
    case EventKind::transfer_end:
      if (transfers_[event.who].progress.version == event.version) end_transfer(event.who, event.time_ns);
      return;
    case EventKind::receipt_end:
      return end_member(event.who, event.time_ns);
  }
}

// Where a job deadlocks; all others were written when their call took effect.
void Simulation::mark_unissued() {
  if (!r_.issue_ns) return;
  for (const Host& host : hosts_) {
    for (int64_t* times : {r_.start_ns, r_.end_ns, r_.return_ns, r_.issue_ns}) {
      std::fill(times + host.next, times + host.end, kUnknown);
    }
  }
}

int Simulation::finish() {
  int status = 0;
  mark_unissued();
  for (int64_t rank = 0; rank < p_.rank_count; ++rank) {
    const Host& host = hosts_[rank];
    bool stands = host.next < host.end || !host.blocks.empty();
    r_.rank_next[rank] = host.blocks.empty() ? host.next : blocks_[host.blocks.front()].call;
    if (stands) status = 1;
  }
  for (int64_t i = 0; i < p_.stream_count; ++i) {
    const Stream& stream = streams_[i];
    r_.stream_head[i] = idle(stream) ? -1 : stream.queue[stream.head].call;
    if (!idle(stream)) status = 1;
  }
  return status;
}

}  // namespace maya::engine
