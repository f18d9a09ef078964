// Kernels that run at the same time share their device, and give up a part of it to communication.
#include <algorithm>

#include "simulation.h"

namespace maya::engine {

void Simulation::begin_work(int32_t index) {
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  int64_t duration = p_.duration_ns[call];
  stream.progress.remaining = duration * kFullRate;
  stream.progress.updated_ns = now_ns_;
  stream.progress.rate = 0;
  if (!s_.share_devices || p_.share[call] == 0) {
    return set_rate(stream.progress, kFullRate, EventKind::work_end, index);
  }
  Device& device = devices_[stream.device];
  device.running.push_back(index);
  device.share += p_.share[call];
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
    device.share -= p_.share[call];
    if (!device.running.empty()) rerate_device(stream.device);
  }
  advance(index);
}

void Simulation::rerate_device(int32_t number) {
  Device& device = devices_[number];
  int64_t free = kWholeShare - (device.transfers > 0 ? s_.comm_share : 0);
  int64_t rate = device.share <= free ? kFullRate : std::max<int64_t>(1, kFullRate * free / device.share);
  for (int32_t index : device.running) set_rate(streams_[index].progress, rate, EventKind::work_end, index);
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
