// Kernels that run at the same time share their device, and give up a part of it to communication.
#include <algorithm>

#include "simulation.h"

namespace maya::engine {

void Simulation::begin_work(int32_t index) {
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  int64_t duration = work_ns(stream, call);
  stream.progress.remaining = duration * kFullRate;
  stream.progress.updated_ns = now_ns_;
  stream.progress.rate = 0;
  if (!s_.share_devices || p_.share[call] == 0) {
    return set_rate(stream.progress, kFullRate, EventKind::work_end, index);
  }
  Device& device = devices_[stream.device];
  device.running.push_back(index);
  count_running(index, p_.share[call]);
  rerate_device(stream.device);
}

void Simulation::end_work(int32_t index) {
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  finish_head(index, now_ns_);
  stream.stuck = false;
  if (s_.share_devices && p_.share[call] != 0) {
    Device& device = devices_[stream.device];
    device.running.erase(std::find(device.running.begin(), device.running.end(), index));
    count_running(index, -int64_t{p_.share[call]});
    if (!device.running.empty()) rerate_device(stream.device);
  }
  advance(index);
}

void Simulation::count_running(int32_t index, int64_t share) {
  Device& device = devices_[streams_[index].device];
  device.share += share;
  if (streams_[index].high) device.high_share += share;
}

// Kernels of one priority share in proportion; those of high priority come first.
void Simulation::rerate_device(int32_t number) {
  Device& device = devices_[number];
  int64_t free = kWholeShare - (device.transfers > 0 ? s_.comm_share : 0);
  int64_t low_share = device.share - device.high_share;
  auto rate = [](int64_t given, int64_t wanted) {
    return wanted <= given ? kFullRate : std::max<int64_t>(1, kFullRate * given / wanted);
  };
  int64_t kept = low_share > 0 && device.high_share > 0 ? std::min({kResident, free / 2, low_share}) : 0;
  int64_t high_given = std::min(device.high_share, free - kept);
  int64_t high = rate(high_given, device.high_share);
  int64_t low = rate(free - high_given, low_share);
  for (int32_t index : device.running) {
    set_rate(streams_[index].progress, streams_[index].high ? high : low, EventKind::work_end, index);
  }
}

void Simulation::settle(Progress& progress) const {
  progress.remaining =
      std::max<int64_t>(0, progress.remaining - (now_ns_ - progress.updated_ns) * progress.rate);
  progress.updated_ns = now_ns_;
}

void Simulation::set_rate(Progress& progress, int64_t rate, EventKind kind, int32_t who) {
  if (rate == progress.rate) return;
  settle(progress);
  progress.rate = rate;
  // Nearly everything runs at full rate, and a division is slow.
  int64_t left_ns = rate == kFullRate ? (progress.remaining + kFullRate - 1) >> kRateBits
                                      : (progress.remaining + rate - 1) / rate;
  events_.push(now_ns_ + left_ns, kind, who, ++progress.version);
}

}  // namespace maya::engine
