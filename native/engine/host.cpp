// Host threads: calls take effect in their recorded order, after their CPU time.
#include <algorithm>

#include "simulation.h"

namespace maya::engine {

void Simulation::run_host(int32_t rank) {
  Host& host = hosts_[rank];
  host.running = true;
  while (host.next < host.end && issue(host, host.next)) ++host.next;
  host.running = false;
}

// A call cannot take effect before its thread is free, before what it may depend on has returned, nor before
// the call recorded before it. False while one of these is not known.
bool Simulation::may_issue(Host& host, int64_t call, int64_t* at) const {
  uint16_t thread = p_.thread[call];
  if (host.blocked[thread]) return false;
  int64_t ready = host.clock_ns[thread];
  int32_t after = p_.after[call];
  if (after >= 0) {
    for (int32_t block : host.blocks) {
      if (blocks_[block].call <= after) return false;
    }
    ready = std::max(ready, host.returned_by[after & host.mask]);
  }
  *at = std::max(ready + p_.host_ns[call], host.last_issue_ns);
  return true;
}

bool Simulation::queue_has_room(Stream& stream, int64_t* at) {
  uint64_t limit = static_cast<uint64_t>(s_.queue_limit);
  if (stream.launched < limit) return true;
  uint64_t earlier = stream.launched - limit;  // its start makes room
  if (earlier >= stream.started) {
    stream.host_waits = true;
    return false;
  }
  *at = std::max(*at, stream.start_ring[earlier & ring_mask_]);
  return true;
}

bool Simulation::issue(Host& host, int64_t call) {
  Op op = static_cast<Op>(p_.op[call]);
  bool work = op == Op::work || op == Op::collective;
  int32_t stream = p_.stream[call] + (op == Op::sync_device ? host.device_base : host.stream_base);
  bool queued = work && !(p_.flags[call] & kUnqueued);
  // First what fails most often: behind a full queue a host tries once for every start.
  int64_t room_ns = 0, at;
  if (queued && !queue_has_room(streams_[stream], &room_ns)) return false;
  if (!may_issue(host, call, &at)) return false;
  at = std::max(at, room_ns);
  if (queued) ++streams_[stream].launched;
  host.last_issue_ns = at;
  if (r_.issue_ns) {
    r_.issue_ns[call] = at;
    r_.start_ns[call] = r_.end_ns[call] = kUnknown;
  }
  host.returned_by[call & host.mask] = call > host.first_call ? host.returned_by[(call - 1) & host.mask] : 0;
  returned(host, call, at);
  switch (op) {
    case Op::host:
      break;
    case Op::sync_stream:
      block(host, call, at, {stream}, -1);
      break;
    case Op::sync_device:
      block(host, call, at, devices_[stream].streams, -1);
      break;
    case Op::sync_event:
      block(host, call, at, {}, p_.operand[call] + host.slot_base);
      break;
    default:
      submit(stream,
             {at + s_.launch_latency_ns, static_cast<int32_t>(call), p_.operand[call] + host.slot_base, op});
      if (p_.flags[call] & kBlocking) block(host, call, at, {stream}, -1);
  }
  return true;
}

// Holds the thread until all that was submitted to the streams is done, and the event of the slot too.
void Simulation::block(Host& host, int64_t call, int64_t at, const Vector<int32_t>& streams, int32_t slot) {
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<int32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  int32_t index = free_blocks_.back();
  Block made{static_cast<int32_t>(call), static_cast<int32_t>(&host - hosts_.data()), 0, at};
  auto await = [&](int32_t awaited) {
    if (slot_ns_[awaited] != kUnknown) {
      made.until_ns = std::max(made.until_ns, slot_ns_[awaited]);
    } else {
      add_waiter(awaited, index, true);
      ++made.left;
    }
  };
  for (int32_t stream : streams) {
    if (idle(streams_[stream])) {
      made.until_ns = std::max(made.until_ns, streams_[stream].free_ns);
      continue;
    }
    int32_t marker = new_slot();
    submit(stream, {at, -1, marker, Op::record});
    await(marker);
  }
  if (slot >= 0) await(slot);
  if (made.left == 0) return returned(host, call, made.until_ns);
  free_blocks_.pop_back();
  blocks_[index] = made;
  host.blocks.push_back(index);
  host.blocked[p_.thread[call]] = 1;
}

void Simulation::unblock(int32_t index, int64_t at) {
  Block& block = blocks_[index];
  block.until_ns = std::max(block.until_ns, at);
  if (--block.left > 0) return;
  int32_t rank = block.rank;
  Host& host = hosts_[rank];
  host.blocked[p_.thread[block.call]] = 0;
  host.blocks.erase(std::find(host.blocks.begin(), host.blocks.end(), index));
  returned(host, block.call, block.until_ns);
  free_blocks_.push_back(index);
  wake_host(rank);
}

void Simulation::returned(Host& host, int64_t call, int64_t at) {
  if (r_.return_ns) r_.return_ns[call] = at;
  int64_t& clock = host.clock_ns[p_.thread[call]];
  clock = std::max(clock, at);
  if (host.next == call) {  // it returns as it is issued
    int64_t& known = host.returned_by[call & host.mask];
    known = std::max(known, at);
    return;
  }
  // Calls of other threads may have been issued meanwhile.
  for (int64_t i = std::max(call, host.next - host.mask); i <= host.next; ++i) {
    int64_t& known = host.returned_by[i & host.mask];
    known = std::max(known, at);
  }
}

void Simulation::wake_host(int32_t rank) {
  if (hosts_[rank].queued || hosts_[rank].running) return;
  hosts_[rank].queued = true;
  ready_hosts_.push_back(rank);
}

}  // namespace maya::engine
