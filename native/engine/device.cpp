// Kernels that run at the same time share their device, and give up a part of it to communication.
#include <algorithm>

#include "simulation.h"

namespace maya::engine {
namespace {

// Nearly everything runs at full rate, and a division is slow.
int64_t time_at_rate(int64_t remaining, int64_t rate) {
  return rate == kFullRate ? (remaining + kFullRate - 1) >> kRateBits : (remaining + rate - 1) / rate;
}

}  // namespace

void Simulation::begin_work(int32_t index) {
  end_quiet(index);
  Stream& stream = streams_[index];
  int32_t call = stream.queue[stream.head].call;
  int64_t duration = work_ns(stream, call);
  stream.progress.remaining = duration * kFullRate;
  stream.progress.updated_ns = now_ns_;
  stream.progress.rate = 0;
  if (!s_.share_devices || p_.share[call] == 0) {
    set_rate(stream.progress, kFullRate, EventKind::work_end, index);
    return;
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

// Of a kernel that has the device for itself, beside communication.
int64_t Simulation::lone_rate(const Device& device, int64_t share) const {
  int64_t given = kWholeShare - (device.transfers > 0 ? s_.comm_share : 0);
  if (!s_.share_devices || share <= given) return kFullRate;
  return std::max<int64_t>(1, kFullRate * given / share);
}

void Simulation::set_quiet(int32_t index, int64_t until_ns, int32_t transfer) {
  Stream& stream = streams_[index];
  stream.quiet_until = until_ns;
  stream.transfer = transfer;
  if (stream.quiet) return;
  stream.quiet = true;
  devices_[stream.device].quiet.push_back(index);
}

void Simulation::end_quiet(int32_t index) {
  Stream& stream = streams_[index];
  if (!stream.quiet) return;
  stream.quiet = false;
  Vector<int32_t>& quiet = devices_[stream.device].quiet;
  quiet.erase(std::find(quiet.begin(), quiet.end(), index));
}

// The same where other streams of the device are active, but nothing comes of them for a known time: they
// are about to begin something, or in transfers whose end is certain.
bool Simulation::ends_while_quiet(const Stream& stream, int32_t call, int64_t at, int64_t* end) const {
  const Device& device = devices_[stream.device];
  if (device.active != static_cast<int32_t>(device.quiet.size()) || at < now_ns_) return false;
  int64_t until = kForever;
  for (int32_t other : device.quiet) {
    const Stream& resting = streams_[other];
    until =
        std::min(until, resting.transfer >= 0 ? transfers_[resting.transfer].due_ns : resting.quiet_until);
  }
  *end = at + time_at_rate(work_ns(stream, call) * kFullRate, lone_rate(device, p_.share[call]));
  return *end < until;
}

void Simulation::settle(Progress& progress) const {
  progress.remaining =
      std::max<int64_t>(0, progress.remaining - (now_ns_ - progress.updated_ns) * progress.rate);
  progress.updated_ns = now_ns_;
}

// When it is to end; kUnknown where that is as before.
int64_t Simulation::set_rate(Progress& progress, int64_t rate, EventKind kind, int32_t who) {
  if (rate == progress.rate) return kUnknown;
  settle(progress);
  progress.rate = rate;
  int64_t end = now_ns_ + time_at_rate(progress.remaining, rate);
  events_.push(end, kind, who, ++progress.version);
  return end;
}

}  // namespace maya::engine
