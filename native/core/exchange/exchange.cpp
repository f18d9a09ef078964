#include "maya/exchange.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "../clock.h"
#include "arithmetic.h"
#include "audit.h"
#include "maya/values.h"
#include "performance.h"
#include "steps/backward.h"

namespace maya {

std::atomic<int> exchanges_under_way{0};

namespace {

using PerformanceRef = std::shared_ptr<Performance>;

constexpr uint64_t kSecond = uint64_t{1000} * 1000 * 1000;

// On the device a call does not hold up the host. Here the host waits for collectives; for a receive only a
// moment, since its sender is nearly always about to come: a ring of receives posted before the sends would
// never end.
uint64_t patience_ns(Collective what) {
  return what == Collective::recv ? 2 * kSecond : UINT64_MAX / 2;
}

struct UnderWay {
  std::mutex list_lock;
  std::vector<PerformanceRef> list;  // in the order they were asked for
};

UnderWay& under_way() {
  static UnderWay* instance = new UnderWay;
  return *instance;
}

std::vector<PerformanceRef> snapshot() {
  std::lock_guard<std::mutex> guard(under_way().list_lock);
  return under_way().list;
}

void remember(const PerformanceRef& performance) {
  std::lock_guard<std::mutex> guard(under_way().list_lock);
  under_way().list.push_back(performance);
  exchanges_under_way = static_cast<int>(under_way().list.size());
}

void strike_out(const PerformanceRef& performance) {
  std::lock_guard<std::mutex> guard(under_way().list_lock);
  auto& list = under_way().list;
  list.erase(std::remove(list.begin(), list.end(), performance), list.end());
  exchanges_under_way = static_cast<int>(list.size());
}

// An all-to-all is a group of sends and receives. A virtual member sends what the member that speaks for it
// sends, so its receive is like that one's.
void pair_virtual_receives(const std::vector<PerformanceRef>& performed) {
  std::map<std::pair<const Communicator*, int>, PerformanceRef> receives;
  auto is_receive = [](const Operation& one) {
    return one.what == Collective::recv && !one.comm->places.empty();
  };
  for (const PerformanceRef& each : performed) {
    const Operation& one = each->operation();
    if (is_receive(one) && !one.comm->is_virtual(one.root)) receives[{one.comm.get(), one.root}] = each;
  }
  for (const PerformanceRef& each : performed) {
    const Operation& one = each->operation();
    if (!is_receive(one) || !one.comm->is_virtual(one.root)) continue;
    auto found = receives.find({one.comm.get(), one.comm->voice(one.root)});
    if (found != receives.end()) each->receive_like(found->second);
  }
}

bool finish_for_kernel(Performance& performance) {
  for (uint64_t until = 0; performance.kernel_deadline_ns() > until;) {
    until = performance.kernel_deadline_ns();
    if (performance.finish(until)) return true;
  }
  return false;
}

// Stores what has come in the meantime, without waiting.
void make_progress() {
  if (!exchanges_under_way.load()) return;
  for (const auto& performance : snapshot()) {
    if (performance->try_finish()) strike_out(performance);
  }
}

}  // namespace

size_t element_bytes(int type) {
  return type_bytes(type);
}

void skip_exchange(const Operation& operation) {
  if (make_plan(operation).output_bytes) forget(operation.output);
}

void exchange(const std::vector<Operation>& operations) {
  make_progress();
  std::vector<PerformanceRef> performed;
  for (const Operation& operation : operations) {
    bool direct = operation.what == Collective::send || operation.what == Collective::recv;
    if (!direct) operation.comm->audit->call(operation, operation.site);
    if (!is_small(operation)) {
      skip_exchange(operation);
      continue;
    }
    Plan plan = make_plan(operation);
    settle(operation.input, plan.input_bytes, Reader::host);
    settle(operation.output, plan.output_bytes, Reader::host);
    device_written(reinterpret_cast<uintptr_t>(operation.output));
    performed.push_back(std::make_shared<Performance>(operation));
    performed.back()->post();
  }
  pair_virtual_receives(performed);
  uint64_t now = monotonic_ns();
  for (const auto& performance : performed) {
    if (performance->finish(now + patience_ns(performance->what()))) continue;
    performance->forget_output();
    performance->remain();
    remember(performance);
  }
  make_progress();
}

void settle_exchanges(const void* address, size_t bytes, Reader reader) {
  if (!bytes || Performance::finishing_here()) return;
  make_progress();
  for (const auto& performance : snapshot()) {
    if (!performance->touches(address, bytes)) continue;
    bool finished =
        reader == Reader::host ? performance->finish(UINT64_MAX) : finish_for_kernel(*performance);
    if (finished) strike_out(performance);
  }
}

void repeat_values(void* to, const void* from, size_t bytes) {
  if (bytes > kSmallTransfer) return;
  settle(from, bytes, Reader::host);
  std::vector<char> known(known_prefix(from, bytes));
  peek(known.data(), from, known.size());
  poke(to, known.data(), known.size());
}

void supersede_exchanges(const void* address, size_t bytes) {
  if (Performance::finishing_here()) return;
  for (const auto& performance : snapshot()) {
    if (performance->touches(address, bytes)) performance->drop_output();
  }
}

}  // namespace maya
