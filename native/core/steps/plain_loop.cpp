#include "steps/plain_loop.h"

#include <algorithm>
#include <numeric>

namespace maya {
namespace {

constexpr LoopParts kWork{8, 256, 128};      // models have fewer layers
constexpr LoopParts kExecutables{1, 0, 32};  // a step has fewer micro-batches that are launched one by one
constexpr size_t kPlainRepeats = 8;          // asked for when no optimiser was ever seen
constexpr size_t kMostSeparators = 64;       // within a step
constexpr size_t kLooseRepeats = 16;         // and when sizes vary, as the cache of generated tokens grows
constexpr size_t kMostVaryingSteps = 32;     // measured of those, as each is another size
constexpr size_t kMostBenchmarked = size_t{1} << 19;  // pieces of work: 100 ms of the shortest kernels
constexpr size_t kRepeatsAtEnd = 3;                   // between waits, when nothing more will come
constexpr size_t kMostMicroBatches = 512;             // that a step is believed to have
constexpr uint64_t kWaitForExpected = 10;             // times longer for an optimiser that the program has
constexpr uint64_t kWaitAfterBackward = 4;            // and for one that the program might have
constexpr uint64_t kQuickShare = 3;  // of the wait, where neither is seen and the step is sure
constexpr uint64_t kLongestPauseNs = 5'000'000'000;  // between two searches of a long sequence
constexpr size_t kRememberedWork = size_t{1} << 20;
constexpr uint64_t kMovesData = 1;  // this bit of a remembered key

}  // namespace

PlainLoop::PlainLoop(const StepRules& rules) : rules_(rules), parts_(kWork) {}

void PlainLoop::count_executables(uint64_t now_ns) {
  parts_ = kExecutables;
  restart(now_ns);
}

void PlainLoop::add(const WorkKey& work) {
  // Half of a long past is forgotten at a time: only its end is looked at.
  if (work_.size() == kRememberedWork) {
    work_.erase(work_.begin(), work_.begin() + kRememberedWork / 2);
    kinds_.erase(kinds_.begin(), kinds_.begin() + kRememberedWork / 2);
    forgotten_ += kRememberedWork / 2;
  }
  kinds_.push_back(work.loose);
  work_.push_back(work.moves_data ? work.exact | kMovesData : work.exact & ~kMovesData);
}

void PlainLoop::restart(uint64_t now_ns) {
  work_.clear();
  kinds_.clear();
  separators_.clear();
  moments_.clear();
  forgotten_ = 0;
  since_ns_ = now_ns;
}

void PlainLoop::separate() {
  size_t done = forgotten_ + work_.size();
  if (separators_.empty() || separators_.back() != done) separators_.push_back(done);
  while (separators_.front() < forgotten_) separators_.pop_front();
}

LoopStep PlainLoop::step(uint64_t now_ns, Awaited awaited) {
  if (!since_ns_) since_ns_ = now_ns;
  moments_.push_back({now_ns, forgotten_ + work_.size()});
  bool quiet = !awaited.optimizer && !awaited.update;
  uint64_t wait_ns = quiet ? rules_.plain_wait_ns / kQuickShare : rules_.plain_wait_ns;
  if (now_ns < next_check_ns_ || now_ns - since_ns_ < wait_ns) return {};
  next_check_ns_ = now_ns + std::min(wait_ns / 2, kLongestPauseNs);
  bool waited = now_ns - since_ns_ >= rules_.plain_wait_ns;
  Repetition found = repetition_of_most(work_, std::max(kPlainRepeats, rules_.repeats()));
  if (!found.period) return quiet && waited ? varying_step() : LoopStep{};
  uint64_t lasted_ns = now_ns - began_ns(found, now_ns);
  if (computing(found.period) < parts_.smallest_step) {
    return quiet && outlasts_autotuners(found, lasted_ns) ? step_of(found, rules_.steps) : LoopStep{};
  }
  if (quiet && surely_whole(found) && lasted_ns >= wait_ns / 2) return step_of(found, rules_.steps);
  return waited && lasted_ns >= patience_ns(found, awaited) ? step_of(found, rules_.steps) : LoopStep{};
}

LoopStep PlainLoop::step_at_end() const {
  Repetition exact = repetition_of_most(work_, std::max(kPlainRepeats, rules_.repeats()));
  if (exact.period && surely_whole(exact)) return step_of(exact, rules_.steps);
  if (LoopStep varying = varying_step(); varying.period) return varying;
  Repetition few = repetition_of_most(work_, kRepeatsAtEnd);
  bool whole = few.period && separations(few) + 1 >= few.length / few.period;
  return whole && computing(few.period) >= parts_.smallest_step ? step_of(few, rules_.steps) : LoopStep{};
}

LoopStep PlainLoop::varying_step() const {
  Repetition loose = repetition_of_most(kinds_, std::max(kLooseRepeats, rules_.repeats()));
  if (loose.period && surely_whole(loose)) return varying_step_of(loose);
  return varying_step_of(repetition_of_amounts());
}

// Kernels change with the sizes that they are given, but how much is done between two waits of the host
// stays; not always without a break, as every answer begins with its prompt.
Repetition PlainLoop::repetition_of_amounts() const {
  std::vector<uint64_t> amounts;
  for (size_t i = 1; i < separators_.size(); ++i) amounts.push_back(separators_[i] - separators_[i - 1]);
  size_t period = period_at_end(amounts, kLooseRepeats, kMostSeparators);
  if (!period) return {};
  auto repeats = [&](size_t index) { return amounts[index] == amounts[index + period]; };
  size_t first = amounts.size() - period, covered = 0;
  while (first > 0 && repeats(first - 1)) --first;
  for (size_t i = 0; i + period < amounts.size(); ++i) covered += repeats(i) ? amounts[i] : 0;
  auto work_from = [&](size_t index) {
    return std::accumulate(amounts.begin() + static_cast<long>(index), amounts.end(), size_t{0});
  };
  Repetition found{work_from(amounts.size() - period), work_from(first)};
  bool believable = found.period >= parts_.smallest_step && 2 * (covered + found.period) >= work_.size();
  return believable ? found : Repetition{};
}

LoopStep PlainLoop::step_of(const Repetition& found, size_t steps) const {
  if (!computing(found.period)) return {};
  size_t enough = std::max(steps, parts_.fewest_measured / found.period);
  return {found.period, std::min(enough, found.length / found.period - 1)};
}

// Each is another size: the mean of many is what a step takes.
LoopStep PlainLoop::varying_step_of(const Repetition& found) const {
  return found.period ? step_of(found, std::max(rules_.steps, kMostVaryingSteps)) : LoopStep{};
}

// Copies of a model's weights, layer by layer, are no step however often they repeat.
size_t PlainLoop::computing(size_t period) const {
  auto moves = [](uint64_t key) { return (key & kMovesData) != 0; };
  auto copies = std::count_if(work_.end() - static_cast<long>(period), work_.end(), moves);
  return period - static_cast<size_t>(copies);
}

// No layers of a single pass: too many, or the host has done something between most of them.
bool PlainLoop::surely_whole(const Repetition& found) const {
  size_t repeats = found.length / found.period;
  return repeats > parts_.most_in_pass || 2 * separations(found) >= repeats;
}

// An autotuner repeats few kernels for a tenth of a second, without waiting for each.
bool PlainLoop::outlasts_autotuners(const Repetition& found, uint64_t lasted_ns) const {
  size_t repeats = found.length / found.period;
  bool waits = repeats > parts_.most_in_pass && 2 * separations(found) >= repeats;
  if (2 * computing(found.period) < found.period && !waits) return false;  // the weights of many layers
  uint64_t enough_ns = waits ? rules_.plain_wait_ns / kQuickShare / 2 : rules_.plain_wait_ns;
  return computing(found.period) && (found.length >= kMostBenchmarked || lasted_ns >= enough_ns);
}

size_t PlainLoop::separations(const Repetition& found) const {
  size_t first = forgotten_ + work_.size() - found.length;
  auto begin = std::lower_bound(separators_.begin(), separators_.end(), first);
  return static_cast<size_t>(separators_.end() - begin);
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
