#include "steps/plain_loop.h"

#include <algorithm>

namespace maya {
namespace {

constexpr size_t kPlainRepeats = 8;                  // asked for when no optimiser was ever seen
constexpr size_t kSmallestPlainStep = 8;             // a benchmark of one kernel repeats too
constexpr size_t kMostMicroBatches = 512;            // that a step is believed to have
constexpr uint64_t kWaitForExpected = 10;            // times longer for an optimiser that the program has
constexpr uint64_t kWaitAfterBackward = 4;           // and for one that the program might have
constexpr uint64_t kLongestPauseNs = 5'000'000'000;  // between two searches of a long sequence
constexpr size_t kRememberedWork = size_t{1} << 20;
constexpr uint64_t kMovesData = 1;  // this bit of a remembered key

}  // namespace

void PlainLoop::add(const WorkKey& work) {
  // Half of a long past is forgotten at a time: only its end is looked at.
  if (work_.size() == kRememberedWork) {
    work_.erase(work_.begin(), work_.begin() + kRememberedWork / 2);
    forgotten_ += kRememberedWork / 2;
  }
  work_.push_back(work.moves_data ? work.exact | kMovesData : work.exact & ~kMovesData);
}

void PlainLoop::restart(uint64_t now_ns) {
  work_.clear();
  moments_.clear();
  forgotten_ = 0;
  since_ns_ = now_ns;
}

size_t PlainLoop::period(uint64_t now_ns, Awaited awaited) {
  if (!since_ns_) since_ns_ = now_ns;
  moments_.push_back({now_ns, forgotten_ + work_.size()});
  if (now_ns < next_check_ns_ || now_ns - since_ns_ < rules_.plain_wait_ns) return 0;
  next_check_ns_ = now_ns + std::min(rules_.plain_wait_ns / 2, kLongestPauseNs);
  Repetition found = repetition_of_most(work_, std::max(kPlainRepeats, rules_.repeats()));
  if (found.period < kSmallestPlainStep || !computes(found.period)) return 0;
  return now_ns - began_ns(found, now_ns) < patience_ns(found, awaited) ? 0 : found.period;
}

// Copies of a model's weights, layer by layer, are no step however often they repeat.
bool PlainLoop::computes(size_t period) const {
  auto moves = [](uint64_t key) { return (key & kMovesData) != 0; };
  auto copies = std::count_if(work_.end() - static_cast<long>(period), work_.end(), moves);
  return period - static_cast<size_t>(copies) >= kSmallestPlainStep;
}

// How long it must have gone on before a repetition is believed. Evaluation may come before training, and a
// step may have many micro-batches, so an optimiser is waited for.
uint64_t PlainLoop::patience_ns(const Repetition& found, Awaited awaited) const {
  if (awaited.optimizer) return rules_.plain_wait_ns * kWaitForExpected;
  bool whole = !awaited.update || found.length > kMostMicroBatches * found.period;
  return whole ? rules_.plain_wait_ns / 2 : rules_.plain_wait_ns * kWaitAfterBackward;
}

// When the repetition began, to a few hundred pieces of work.
uint64_t PlainLoop::began_ns(const Repetition& found, uint64_t now_ns) const {
  if (forgotten_ && found.length == work_.size()) return 0;  // longer ago than anybody remembers
  size_t first = forgotten_ + work_.size() - found.length;
  auto later =
      std::find_if(moments_.begin(), moments_.end(), [&](const Moment& m) { return m.work >= first; });
  return later == moments_.end() ? now_ns : later->at_ns;
}

}  // namespace maya
