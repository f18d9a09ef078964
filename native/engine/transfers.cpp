// Collectives and send/recv pairs: they start when the last participant arrives and share links fairly. A
// message that fits the receiver's buffers starts when its sender arrives.
#include <algorithm>
#include <limits>

#include "simulation.h"

namespace maya::engine {

// The calls of a group are one item: it arrives in all its transfers at once and ends with the last of them.
void Simulation::arrive(int32_t index, int64_t at) {
  end_quiet(index);
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  stream.members_left = p_.count[call];
  stream.members_end_ns = stream.arrived_ns = at;
  int32_t first = p_.operand[call];
  if (stream.members_left == 0) {
    finish_head(index, at);
    return unstick(index);
  }
  for (int32_t member = first; member < first + p_.count[call]; ++member) {
    join_transfer(transfer_of(stream.rank, member), member, index, at);
  }
}

void Simulation::join_transfer(int32_t number, int32_t member, int32_t index, int64_t at) {
  Transfer& transfer = transfers_[number];
  ++transfer.arrived;
  if (transfer.end_ns >= 0) return receive_late(number, index);
  transfer.streams.push_back(index);
  if (transfer.running) {
    Device& device = devices_[streams_[index].device];
    if (s_.share_devices && ++device.transfers == 1) rerate_device(streams_[index].device);
    return;
  }
  transfer.start_ns = buffered(member) ? at : std::max(transfer.start_ns, at);
  if (transfer.arrived == p_.transfer_ranks[number] || buffered(member)) begin_transfer(number);
}

void Simulation::receive_late(int32_t number, int32_t index) {
  int64_t end = received_ns(number, index);
  if (!timed_) return end_member(index, end);
  events_.push(end, EventKind::receipt_end, index, 0);
}

// A message that was delivered before waits in the receiver's buffers. Taking it out is charged like the
// message itself.
int64_t Simulation::received_ns(int32_t number, int32_t index) const {
  int64_t delivered = transfers_[number].end_ns, arrived = streams_[index].arrived_ns;
  return arrived < delivered ? delivered : arrived + transfer_ns(number);
}

// One of the transfers that the call at the head of a stream takes part in is over.
void Simulation::end_member(int32_t index, int64_t at) {
  Stream& stream = streams_[index];
  stream.members_end_ns = std::max(stream.members_end_ns, at);
  if (--stream.members_left > 0) return;
  finish_head(index, stream.members_end_ns);
  unstick(index);
}

int32_t Simulation::transfer_of(int32_t rank, int32_t member) const {
  if (!p_.member_channel) return p_.members[member];
  return p_.rank_channel[int64_t{rank} * p_.channel_count + p_.member_channel[member]] + p_.members[member];
}

void Simulation::begin_transfer(int32_t number) {
  Transfer& transfer = transfers_[number];
  transfer.running = true;
  if (r_.transfer_start_ns) r_.transfer_start_ns[number] = transfer.start_ns;
  if (!timed_) return end_transfer(number, transfer.start_ns + transfer_ns(number));
  transfer.progress.remaining = transfer_ns(number) * kFullRate;
  transfer.progress.updated_ns = now_ns_;
  transfer.begun = begun_++;
  bool shared = links_shared(number);
  count_transfer(number, 1);
  if (s_.share_links && shared) {
    rerate_links(number);
  } else {
    rerate_transfer(number, kFullRate);
  }
}

void Simulation::rerate_transfer(int32_t number, int64_t rate) {
  int64_t end = set_rate(transfers_[number].progress, rate, EventKind::transfer_end, number);
  if (end != kUnknown) transfers_[number].due_ns = end;
}

void Simulation::end_transfer(int32_t number, int64_t at) {
  Transfer& transfer = transfers_[number];
  transfer.running = false;
  transfer.end_ns = at;
  if (r_.transfer_end_ns) r_.transfer_end_ns[number] = at;
  if (timed_) {
    count_transfer(number, -1);
    if (s_.share_links && links_shared(number)) rerate_links(number);
  }
  for (int32_t index : transfer.streams) end_member(index, received_ns(number, index));
  Vector<int32_t>().swap(transfer.streams);
}

bool Simulation::links_shared(int32_t transfer) const {
  for (int64_t i = p_.transfer_resources[transfer]; i < p_.transfer_resources[transfer + 1]; ++i) {
    if (!link_users_[p_.resource[i]].empty()) return true;
  }
  return false;
}

// Notes that a transfer runs or has ended, on its links and on the devices of its streams.
void Simulation::count_transfer(int32_t number, int change) {
  for (int64_t i = p_.transfer_resources[number]; i < p_.transfer_resources[number + 1]; ++i) {
    Vector<int32_t>& users = link_users_[p_.resource[i]];
    if (change > 0) {
      users.push_back(number);
    } else {
      users.erase(std::find(users.begin(), users.end(), number));
    }
  }
  const Transfer& transfer = transfers_[number];
  for (int32_t index : transfer.streams) {
    if (change < 0) {
      end_quiet(index);
    } else if (transfer.closed && streams_[index].members_left == 1) {
      set_quiet(index, kUnknown, number);
    }
  }
  if (!s_.share_devices) return;
  for (int32_t index : transfer.streams) {
    Device& device = devices_[streams_[index].device];
    bool before = device.transfers > 0;
    device.transfers += change;
    if (before != (device.transfers > 0)) rerate_device(streams_[index].device);
  }
}

// The transfers whose links hang together with those of one, in the order of their beginning: the others
// keep their rates.
void Simulation::find_sharing(int32_t beside) {
  sharing_.clear();
  auto visit = [this](int32_t number) {
    for (int64_t i = p_.transfer_resources[number]; i < p_.transfer_resources[number + 1]; ++i) {
      for (int32_t user : link_users_[p_.resource[i]]) {
        if (transfers_[user].seen) continue;
        transfers_[user].seen = true;
        sharing_.push_back(user);
      }
    }
  };
  visit(beside);
  for (size_t i = 0; i < sharing_.size(); ++i) visit(sharing_[i]);
  for (int32_t number : sharing_) transfers_[number].seen = false;
  std::sort(sharing_.begin(), sharing_.end(),
            [this](int32_t a, int32_t b) { return transfers_[a].begun < transfers_[b].begun; });
}

// Calls `visit` with every link of a transfer and the share of it that the transfer would take.
template <typename Visit>
void Simulation::each_link(int32_t transfer, Visit visit) {
  for (int64_t i = p_.transfer_resources[transfer]; i < p_.transfer_resources[transfer + 1]; ++i) {
    visit(p_.resource[i], p_.resource_share[i]);
  }
}

// How much rises on each link.
void Simulation::weigh_links(const std::vector<int32_t>& rising) {
  for (int32_t transfer : rising) {
    each_link(transfer, [&](int32_t link, int32_t) { link_weight_[link] = 0; });
  }
  for (int32_t transfer : rising) {
    each_link(transfer, [&](int32_t link, int32_t share) { link_weight_[link] += share; });
  }
}

// The rate at which the first of a transfer's links is full.
int64_t Simulation::level_of(int32_t transfer) {
  int64_t level = std::numeric_limits<int64_t>::max();
  each_link(transfer, [&](int32_t link, int32_t) {
    if (link_weight_[link]) level = std::min(level, link_free_[link] / link_weight_[link]);
  });
  return level;
}

// Max-min fairness by progressive filling: all rates rise together until a link is full, which fixes the
// transfers on it; the others go on rising.
void Simulation::rerate_links(int32_t beside) {
  find_sharing(beside);
  std::vector<int32_t> rising = sharing_;
  for (int32_t transfer : rising) {
    each_link(transfer, [&](int32_t link, int32_t) { link_free_[link] = kWholeShare * kFullRate; });
  }
  while (!rising.empty()) {
    weigh_links(rising);
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (int32_t transfer : rising) lowest = std::min(lowest, level_of(transfer));
    if (lowest >= kFullRate) {
      for (int32_t transfer : rising) rerate_transfer(transfer, kFullRate);
      return;
    }
    std::vector<int32_t> fixed, left;
    for (int32_t transfer : rising) (level_of(transfer) == lowest ? fixed : left).push_back(transfer);
    for (int32_t transfer : fixed) {
      each_link(transfer, [&](int32_t link, int32_t share) { link_free_[link] -= share * lowest; });
      rerate_transfer(transfer, std::max<int64_t>(lowest, 1));
    }
    rising.swap(left);
  }
}

}  // namespace maya::engine
