// Collectives and send/recv pairs: they start when the last participant arrives and share links fairly.
#include <algorithm>
#include <limits>

#include "simulation.h"

namespace maya::engine {

// The calls of a group are one item: it arrives in all its transfers at once and ends with the last of them.
void Simulation::arrive(int32_t index, int64_t at) {
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  stream.members_left = p_.count[call];
  stream.members_end_ns = at;
  const int32_t* first = p_.members + p_.operand[call];
  if (stream.members_left == 0) {
    finish_head(index, at);
    return unstick(index);
  }
  for (const int32_t* member = first; member < first + p_.count[call]; ++member) {
    Transfer& transfer = transfers_[*member];
    transfer.streams.push_back(index);
    transfer.start_ns = std::max(transfer.start_ns, at);
    if (++transfer.arrived == p_.transfer_ranks[*member]) begin_transfer(*member);
  }
}

void Simulation::begin_transfer(int32_t number) {
  Transfer& transfer = transfers_[number];
  r_.transfer_start_ns[number] = transfer.start_ns;
  if (!timed_) return end_transfer(number, transfer.start_ns + p_.transfer_ns[number]);
  transfer.progress.remaining = p_.transfer_ns[number] * kFullRate;
  transfer.progress.updated_ns = now_ns_;
  active_.push_back(number);
  bool shared = links_shared(number);
  count_transfer(number, 1);
  if (s_.share_links && shared) {
    rerate_links();
  } else {
    set_rate(transfer.progress, kFullRate, EventKind::transfer_end, number);
  }
}

void Simulation::end_transfer(int32_t number, int64_t at) {
  Transfer& transfer = transfers_[number];
  r_.transfer_end_ns[number] = at;
  if (timed_) {
    active_.erase(std::find(active_.begin(), active_.end(), number));
    count_transfer(number, -1);
    if (s_.share_links && links_shared(number)) rerate_links();
  }
  for (int32_t index : transfer.streams) {
    Stream& stream = streams_[index];
    stream.members_end_ns = std::max(stream.members_end_ns, at);
    if (--stream.members_left > 0) continue;
    finish_head(index, stream.members_end_ns);
    unstick(index);
  }
  std::vector<int32_t>().swap(transfer.streams);
}

bool Simulation::links_shared(int32_t transfer) const {
  for (int64_t i = p_.transfer_resources[transfer]; i < p_.transfer_resources[transfer + 1]; ++i) {
    if (link_users_[p_.resource[i]] > 0) return true;
  }
  return false;
}

// Notes that a transfer runs or has ended, on its links and on the devices of its streams.
void Simulation::count_transfer(int32_t number, int change) {
  for (int64_t i = p_.transfer_resources[number]; i < p_.transfer_resources[number + 1]; ++i) {
    link_users_[p_.resource[i]] += change;
  }
  if (!s_.share_devices) return;
  for (int32_t index : transfers_[number].streams) {
    Device& device = devices_[streams_[index].device];
    bool before = device.transfers > 0;
    device.transfers += change;
    if (before != (device.transfers > 0)) rerate_device(streams_[index].device);
  }
}

// Max-min fairness by progressive filling: all rates rise together until a link is full, which fixes the
// transfers on it; the others go on rising.
void Simulation::rerate_links() {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::vector<int32_t> rising = active_;
  auto each_link = [&](int32_t transfer, auto visit) {
    for (int64_t i = p_.transfer_resources[transfer]; i < p_.transfer_resources[transfer + 1]; ++i) {
      visit(p_.resource[i], p_.resource_share[i]);
    }
  };
  for (int32_t transfer : rising) {
    each_link(transfer, [&](int32_t link, int32_t) { link_free_[link] = kWholeShare * kFullRate; });
  }
  while (!rising.empty()) {
    for (int32_t transfer : rising)
      each_link(transfer, [&](int32_t link, int32_t) { link_weight_[link] = 0; });
    for (int32_t transfer : rising) {
      each_link(transfer, [&](int32_t link, int32_t share) { link_weight_[link] += share; });
    }
    int64_t lowest = kNone;
    auto level = [&](int32_t transfer) {
      int64_t own = kNone;
      each_link(transfer, [&](int32_t link, int32_t) {
        if (link_weight_[link]) own = std::min(own, link_free_[link] / link_weight_[link]);
      });
      return own;
    };
    for (int32_t transfer : rising) lowest = std::min(lowest, level(transfer));
    if (lowest >= kFullRate) {
      for (int32_t transfer : rising) {
        set_rate(transfers_[transfer].progress, kFullRate, EventKind::transfer_end, transfer);
      }
      return;
    }
    std::vector<int32_t> fixed, left;
    for (int32_t transfer : rising) (level(transfer) == lowest ? fixed : left).push_back(transfer);
    for (int32_t transfer : fixed) {
      each_link(transfer, [&](int32_t link, int32_t share) { link_free_[link] -= share * lowest; });
      int64_t rate = std::max<int64_t>(lowest, 1);
      set_rate(transfers_[transfer].progress, rate, EventKind::transfer_end, transfer);
    }
    rising.swap(left);
  }
}

}  // namespace maya::engine
