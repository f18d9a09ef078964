#include "virtual/durations.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>

#include "clock.h"
#include "exchange/failure.h"
#include "maya/run_files.h"
#include "virtual/clock_link.h"
#include "virtual/durations_table.h"

namespace maya {
namespace {

constexpr uint64_t kPatienceNs = 120'000'000'000;
constexpr uint64_t kNapNs = 50'000;

std::atomic<Table*> table{nullptr};

void want(Table& shared, uint32_t definition) {
  uint32_t wanted = shared.wanted.load();
  while (wanted < definition && !shared.wanted.compare_exchange_weak(wanted, definition)) {
  }
}

int64_t await(std::atomic<int64_t>& answer) {
  uint64_t end_ns = monotonic_ns() + kPatienceNs;
  virtual_clock->hold(1);
  while (!answer.load(std::memory_order_acquire) && monotonic_ns() < end_ns) real_nap(kNapNs);
  virtual_clock->hold(-1);
  return answer.load(std::memory_order_acquire);
}

}  // namespace

bool open_durations(const std::string& capture_path) {
  std::string path = capture_path + run_files::kDurations;
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  bool sized = ftruncate(file, sizeof(Table)) == 0;  // a hole: only what is used takes space
  void* at = sized ? mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (at == MAP_FAILED) return false;
  table = static_cast<Table*>(at);
  return true;
}

WorkTime work_time(uint32_t definition) {
  Table* shared = table.load(std::memory_order_relaxed);
  if (!shared || !definition || definition >= kMostDefinitions) return {};
  std::atomic<int64_t>& answer = shared->answers[definition];
  int64_t known = answer.load(std::memory_order_acquire);
  if (!known) {
    want(*shared, definition);
    known = await(answer);
  }
  if (!known) {
    fail_job("maya does not say how long the device's work takes: the virtual clock cannot go on");
    std::_Exit(1);
  }
  const Table::Rates& rates = shared->rates[definition];
  return {(known - 1) / 2, (known - 1) % 2 != 0, rates.request_ns, rates.key_ns,
          rates.pair_ns,   rates.link_ns,        rates.share};
}

// Reading and computing overlap, but not wholly: as in estimate/attention.py.
int64_t WorkTime::for_lengths(const AttentionLengths& lengths) const {
  double reading = static_cast<double>(key_ns) * static_cast<double>(lengths.keys);
  double computing = static_cast<double>(pair_ns) * static_cast<double>(lengths.pairs);
  if (reading <= 0 && computing <= 0) return duration_ns;
  double beginning = static_cast<double>(request_ns) * static_cast<double>(lengths.requests);
  double both = std::pow(std::pow(reading, 4) + std::pow(computing, 4), 0.25);
  return duration_ns + std::llround(beginning + both);
}

}  // namespace maya
