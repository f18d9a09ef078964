// Streams: work in order, events, the legacy default stream.
#include <algorithm>

#include "simulation.h"

namespace maya::engine {

void Simulation::submit(int32_t index, const Item& item) {
  Stream& stream = streams_[index];
  if (stream.flags && item.call >= 0) join_legacy(index, item.ready_ns);
  ++stream.items;
  stream.queue.push_back(item);
  if (!stream.stuck) advance(index);
}

// Work on the legacy default stream waits for all blocking streams of its device, and they wait for it.
void Simulation::join_legacy(int32_t index, int64_t ready_ns) {
  Device& device = devices_[streams_[index].device];
  if (device.legacy < 0) return;
  if (streams_[index].flags & kLegacy) {
    for (int32_t other : device.blocking) {
      Stream& blocking = streams_[other];
      if (blocking.seen_by_legacy == blocking.items) continue;
      wait_for_marker(other, index, ready_ns);
      blocking.seen_by_legacy = blocking.items;
    }
  } else if (streams_[index].legacy_seen != streams_[device.legacy].items) {
    wait_for_marker(device.legacy, index, ready_ns);
    streams_[index].legacy_seen = streams_[device.legacy].items;
  }
}

void Simulation::wait_for_marker(int32_t of, int32_t index, int64_t ready_ns) {
  int32_t marker = new_slot();
  for (auto [stream, op] : {std::pair{of, Op::record}, std::pair{index, Op::wait}}) {
    streams_[stream].queue.push_back({ready_ns, -1, marker, op});
    ++streams_[stream].items;
    if (!streams_[stream].stuck) advance(stream);
  }
}

int32_t Simulation::new_slot() {
  slot_ns_.push_back(kUnknown);
  slot_waiters_.push_back(-1);
  return static_cast<int32_t>(slot_ns_.size() - 1);
}

void Simulation::advance(int32_t index) {
  Stream& stream = streams_[index];
  while (!idle(stream) && !stream.stuck && step(index, stream)) {
  }
  if (idle(stream)) {
    stream.queue.clear();
    stream.head = 0;
  } else if (stream.head >= kDoneItems) {  // a stream that never rests would keep all it ever did
    stream.queue.erase(stream.queue.begin(), stream.queue.begin() + static_cast<int64_t>(stream.head));
    stream.head = 0;
  }
}

// Whether a piece of work can be carried out ahead of the clock; then its end. Other ranks reach a device
// only through transfers, so while its host and its other streams rest nothing changes there.
bool Simulation::ends_undisturbed(const Stream& stream, int32_t call, int64_t at, int64_t* end) const {
  const Device& device = devices_[stream.device];
  const Host& host = hosts_[stream.rank];
  if (device.ready != 0 || host.queued || host.running || !host.lone) return false;
  if (device.active != 0) return ends_while_quiet(stream, call, at, end);
  *end = at + work_ns(stream, call);
  return true;
}

// Carries out the item at the head; false if the stream now waits.
bool Simulation::step(int32_t index, Stream& stream) {
  const Item item = stream.queue[stream.head];
  int64_t at = std::max(item.ready_ns, stream.free_ns);
  switch (item.op) {
    case Op::record:
      finish_head(index, at);
      resolve(item.slot, at);
      return true;
    case Op::wait:
      if (slot_ns_[item.slot] == kUnknown) {
        stream.stuck = true;
        add_waiter(item.slot, index, false);
        return false;
      }
      finish_head(index, std::max(at, slot_ns_[item.slot]));
      return true;
    default:
      break;
  }
  at = std::max(at, stream.next_work_ns);
  if (r_.start_ns) r_.start_ns[item.call] = at;
  stream.stuck = true;  // a host woken by the start must not come back here
  note_start(stream, at);
  if (timed_) {
    int64_t end;
    if (item.op == Op::work && ends_undisturbed(stream, item.call, at, &end)) {
      stream.stuck = false;
      finish_head(index, end);
      return true;
    }
    set_active(stream, true);
    EventKind kind = item.op == Op::work ? EventKind::work_start : EventKind::arrival;
    if (at > now_ns_) {
      events_.push(at, kind, index, 0);
      set_quiet(index, at, -1);
    } else if (item.op == Op::work) {
      begin_work(index);
    } else {
      arrive(index, at);
    }
    return !stream.stuck;
  }
  if (item.op == Op::work) {
    stream.stuck = false;
    finish_head(index, at + work_ns(stream, item.call));
    return true;
  }
  arrive(index, at);
  return !stream.stuck;
}

void Simulation::note_start(Stream& stream, int64_t at) {
  if (p_.flags[stream.queue[stream.head].call] & kUnqueued) return;
  size_t limit = static_cast<size_t>(s_.queue_limit);
  size_t place = stream.started++ & ring_mask_;
  if (stream.start_ring.size() <= place) {
    stream.start_ring.push_back(at);
  } else {
    stream.start_ring[place] = at;
  }
  // When a launch takes effect follows from the ring, so without a clock the host may be woken late, and
  // seldom.
  bool due = timed_ || stream.launched - stream.started <= limit / 2;
  if (stream.host_waits && due) {
    stream.host_waits = false;
    Host& host = hosts_[stream.rank];
    if (timed_ && !host.running && !host.queued) {
      run_host(stream.rank);
    } else {
      wake_host(stream.rank);
    }
  }
}

void Simulation::set_active(Stream& stream, bool active) {
  if (stream.active == active) return;
  stream.active = active;
  devices_[stream.device].active += active ? 1 : -1;
}

void Simulation::finish_head(int32_t index, int64_t end) {
  Stream& stream = streams_[index];
  const Item& item = stream.queue[stream.head++];
  stream.free_ns = end;
  if (stream.active) set_active(stream, false);
  if (item.call < 0) return;
  if (r_.end_ns) r_.end_ns[item.call] = end;
  if (p_.piece) {
    int64_t& last = r_.piece_end_ns[p_.piece[item.call]];
    last = std::max(last, end);
  }
  if (item.op == Op::work || item.op == Op::collective) {
    stream.next_work_ns = end + s_.gap_ns;
  } else if (r_.start_ns) {
    r_.start_ns[item.call] = end;
  }
}

void Simulation::resolve(int32_t slot, int64_t at) {
  slot_ns_[slot] = at;
  int32_t next = slot_waiters_[slot];
  slot_waiters_[slot] = -1;
  while (next >= 0) {
    Waiter waiter = waiters_[next];
    free_waiters_.push_back(next);
    next = waiter.next;
    if (waiter.host) {
      unblock(waiter.who, at);
    } else {
      unstick(waiter.who);
    }
  }
}

void Simulation::add_waiter(int32_t slot, int32_t who, bool host) {
  if (free_waiters_.empty()) {
    free_waiters_.push_back(static_cast<int32_t>(waiters_.size()));
    waiters_.emplace_back();
  }
  int32_t index = free_waiters_.back();
  free_waiters_.pop_back();
  waiters_[index] = {who, slot_waiters_[slot], host};
  slot_waiters_[slot] = index;
}

void Simulation::unstick(int32_t index) {
  streams_[index].stuck = false;
  ++devices_[streams_[index].device].ready;
  ready_streams_.push_back(index);
}

}  // namespace maya::engine
