#include "steps/detector.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clock.h"
#include "hash.h"
#include "maya/exchange.h"
#include "maya/runtime.h"
#include "recorder.h"
#include "steps/backward.h"
#include "steps/periodicity.h"
#include "stop.h"

namespace maya {
namespace {

constexpr size_t kLargestPeriod = 4096;   // pieces in a step: an optimiser for each parameter
constexpr size_t kLooseRepeats = 8;       // extra steps asked for when sizes vary from step to step
constexpr size_t kAlikeSteps = 16;        // in a row that do about as much, where no two do the same
constexpr size_t kPlainRepeats = 8;       // repetitions asked for when no optimiser was ever seen
constexpr size_t kSmallestPlainStep = 8;  // a benchmark of one kernel repeats too
constexpr size_t kMoreWork = 5;           // clearly more is a fifth of it
constexpr size_t kStepsWithoutWork = 50;
constexpr size_t kMostMicroBatches = 512;   // that a step is believed to have
constexpr size_t kFewestGradients = 3;      // read in a row by a nameless optimiser
constexpr size_t kLongestUpdateOfOne = 8;   // operations between two reads: Adam written out has seven
constexpr uint64_t kWaitForExpected = 10;   // times longer for an optimiser that the program has
constexpr uint64_t kWaitAfterBackward = 4;  // and for one that the program might have
constexpr size_t kRememberedWork = size_t{1} << 20;
constexpr uint64_t kMovesData = 1;  // this bit of a remembered key

enum class Steadiness : int64_t { exact = 1, loose = 2, without_optimizer = 3, alike = 4 };

// When how much of the work since the last piece had been done.
struct Moment {
  uint64_t at_ns;
  size_t work;
};

struct Detector {
  std::mutex lock;
  std::atomic<bool> any_work{false};  // also where nobody looks for steps
  uint64_t first_work_ns = 0;
  uint64_t last_piece_ns = 0;
  uint64_t next_check_ns = 0;
  bool in_update = false;
  bool expected = false;  // the program has an optimiser of PyTorch's
  bool heard = false;     // which has said at least once that it stepped
  bool stepped = false;   // and again, and no work has come since
  bool backward = false;  // gradients were computed
  bool backward_in_piece = false;
  bool finished = false;
  uint64_t exact_piece = 0;
  uint64_t loose_piece = 0;
  std::vector<uint64_t> exact;  // one hash a piece
  std::vector<uint64_t> loose;
  std::vector<size_t> amounts;  // of work in each
  std::vector<bool> gradients;  // whether each computed some
  size_t amount = 0;
  size_t optimizers = 0;       // of PyTorch's that were made
  std::vector<uint64_t> work;  // keys since the last piece
  size_t forgotten = 0;        // of them
  std::deque<Moment> moments;
  size_t calls = 0;
  size_t steps_without_work = 0;
  size_t gradients_read = 0;  // in a row
  size_t since_gradient = 0;  // work since the last of them
};

Detector& detector() {
  static Detector* instance = new Detector;
  return *instance;
}

void note_boundary(size_t piece) {
  static Schema schema{"step_boundary", Kind::step, nullptr, 0};
  note(schema, {}, 0, piece);
}

size_t wanted_steps() {
  return static_cast<size_t>(std::max(config().steps, 1));
}

void finish(Detector& d, Steadiness how, size_t period, size_t steps = wanted_steps()) {
  static const char* const fields[] = {"how", "period", "steps"};
  static Schema schema{"steady", Kind::step, fields, 3};
  note(schema, {static_cast<int64_t>(how), static_cast<int64_t>(period), static_cast<int64_t>(steps)}, 0,
       d.exact.size());
  d.finished = true;
  stop_watching_gradients();
}

size_t alike_steps() {
  return std::max(wanted_steps(), kAlikeSteps);
}

size_t wanted_repeats() {
  return wanted_steps() + 1;
}

// One read proves little: memory that backward wrote is used again, and not every writer is known. An
// optimiser reads gradient after gradient, with little between.
bool applies_gradients(Detector& d, const WorkKey& key) {
  if (!key.applies_gradient) {
    if (++d.since_gradient > kLongestUpdateOfOne) d.gradients_read = 0;
    return false;
  }
  d.since_gradient = 0;
  if (++d.gradients_read < kFewestGradients) return false;
  d.gradients_read = 0;
  return true;
}

// An optimiser that says so is the best sign, work that bears an optimiser's name the next; gradients are
// followed until either is there. Lists of tensors are worked on for other reasons too (gradients of
// micro-batches are added up), so that counts for nothing once an optimiser is known that will speak.
bool piece_ended(Detector& d, const WorkKey& key) {
  bool updates = key.update == Update::optimizer || (key.update == Update::tensor_list && !d.expected);
  bool update_ended = d.in_update && !updates;
  d.in_update = updates;
  if (updates) stop_watching_gradients();
  if (std::exchange(d.stepped, false)) {
    d.heard = update_ended = true;
  } else if (d.heard || (d.backward && !d.backward_in_piece)) {
    update_ended = false;  // in the latter case the same update goes on, with the next parameter
  }
  if (!watching_gradients() || !applies_gradients(d, key)) return update_ended;
  forget_gradients();
  return true;
}

// Steps that do the same work may differ in the sizes of a few launches, by turns; each is a step
// nevertheless. `period` pieces repeat exactly; the fewest of them that do the same kind of work are a step.
size_t pieces_in_step(const Detector& d, size_t period) {
  size_t alike = period_at_end(d.loose, wanted_repeats() * period, period);
  return alike && period % alike == 0 ? alike : period;
}

// What a step is among `period` pieces that only repeat together (an evaluation after each epoch, with few
// steps between): the kind that most of them are, or half if the others do clearly more. 0 if there is none.
uint64_t usual_piece(const Detector& d, const std::vector<uint64_t>& kinds, size_t period) {
  std::unordered_map<uint64_t, size_t> times;
  size_t size = kinds.size(), usual = size;
  for (size_t i = size - period; i < size; ++i) ++times[kinds[i]];
  for (size_t i = size - period; i < size; ++i) {
    if (2 * times[kinds[i]] < period) continue;
    if (usual == size || d.amounts[i] < d.amounts[usual]) usual = i;
  }
  if (usual == size) return 0;
  bool most = 2 * times[kinds[usual]] > period;
  for (size_t i = size - period; i < size && !most; ++i) {
    bool same = kinds[i] == kinds[usual];
    if (!same && kMoreWork * d.amounts[usual] > (kMoreWork - 1) * d.amounts[i]) return 0;
  }
  return kinds[usual];
}

// Of one optimiser; but one that is told to step several times after a backward pass, for a part of its
// parameters each time (DeepSpeed's ZeRO does so for each group of them), makes pieces without gradients.
bool each_is_a_step(const Detector& d, size_t period) {
  auto first = d.gradients.end() - static_cast<long>(period);
  auto computed = std::count(first, d.gradients.end(), true);
  return d.optimizers == 1 && (computed == 0 || computed == static_cast<long>(period));
}

// Every piece is a step where one optimiser steps, also if no two in a row are alike. The usual ones are
// measured, or all of a period: their mean is what a step takes.
bool finish_mixed(Detector& d, const std::vector<uint64_t>& kinds, Steadiness how, size_t period) {
  uint64_t usual = usual_piece(d, kinds, period);
  if (!usual) return finish(d, how, 1, period), true;
  size_t steps = std::min(longest_run(kinds, usual, 2 * period), wanted_steps());
  if (longest_run(kinds, usual, steps) < steps) return false;  // they come once more
  return finish(d, how, 1, steps), true;
}

// Inputs of many sizes lead to other kernels in every step (images of all formats, boxes found in them). Such
// steps never repeat, and no further one would tell more than these. With several optimisers a piece need
// not be a step. Between epochs of few steps something else makes some pieces larger: then the ordinary ones
// in a row are measured, if there are as many in twice the time. 0 where that is not so (yet).
size_t steps_alike(const Detector& d) {
  size_t wanted = alike_steps(), size = d.amounts.size();
  if (d.optimizers > 1 || size < wanted + 2) return 0;
  auto within = [](size_t least, size_t most) { return 2 * most <= 3 * least; };
  auto end = d.amounts.end();
  auto [least, most] = std::minmax_element(end - static_cast<long>(wanted), end);
  if (within(*least, *most)) return wanted;
  if (size < 2 * wanted + 2) return 0;
  std::vector<size_t> sorted(end - static_cast<long>(2 * wanted), end);
  std::sort(sorted.begin(), sorted.end());
  if (!within(sorted[0], sorted[wanted])) return 0;
  size_t longest = 0, run = 0;
  for (auto at = end - static_cast<long>(2 * wanted); at != end; ++at) {
    run = within(sorted[0], *at) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return run == longest ? std::min(run, wanted) : 0;
}

// A piece of work between two optimiser updates is complete. True when the run is steady.
bool close_piece(Detector& d) {
  d.exact.push_back(d.exact_piece);
  d.loose.push_back(d.loose_piece);
  d.amounts.push_back(std::exchange(d.amount, 0));
  d.exact_piece = d.loose_piece = 0;
  d.gradients.push_back(std::exchange(d.backward_in_piece, false));
  d.work.clear();
  d.moments.clear();
  d.forgotten = 0;
  d.last_piece_ns = monotonic_ns();
  note_boundary(d.exact.size());
  if (size_t period = period_at_end(d.exact, wanted_repeats(), kLargestPeriod)) {
    size_t pieces = pieces_in_step(d, period);
    if (pieces > 1 && each_is_a_step(d, period)) return finish_mixed(d, d.exact, Steadiness::exact, period);
    return finish(d, Steadiness::exact, pieces), true;
  }
  if (size_t period = period_at_end(d.loose, wanted_repeats() + kLooseRepeats, kLargestPeriod)) {
    if (period > 1 && each_is_a_step(d, period)) return finish_mixed(d, d.loose, Steadiness::loose, period);
    return finish(d, Steadiness::loose, period), true;
  }
  if (size_t steps = steps_alike(d)) return finish(d, Steadiness::alike, 1, steps), true;
  return false;
}

uint64_t plain_wait_ns() {
  return static_cast<uint64_t>(std::max(config().plain_seconds, 0)) * 1000000000u;
}

// Copies of a model's weights, layer by layer, are no step however often they repeat.
bool computes(const Detector& d, size_t period) {
  auto moves = [](uint64_t key) { return (key & kMovesData) != 0; };
  size_t copies =
      static_cast<size_t>(std::count_if(d.work.end() - static_cast<long>(period), d.work.end(), moves));
  return period - copies >= kSmallestPlainStep;
}

// How long it must have gone on before a repetition is believed. Layers repeat within a pass, but not for so
// long. Evaluation may come before training, and a step may have many micro-batches, so an optimiser is
// waited for.
uint64_t patience_ns(const Detector& d, const Repetition& found) {
  if (d.expected) return plain_wait_ns() * kWaitForExpected;
  bool whole = !d.backward || found.length > kMostMicroBatches * found.period;
  return whole ? plain_wait_ns() / 2 : plain_wait_ns() * kWaitAfterBackward;
}

// When the repetition began, to a few hundred pieces of work.
uint64_t began_ns(const Detector& d, const Repetition& found) {
  if (d.forgotten && found.length == d.work.size()) return 0;  // longer ago than anybody remembers
  size_t first = d.forgotten + d.work.size() - found.length;
  auto later =
      std::find_if(d.moments.begin(), d.moments.end(), [&](const Moment& m) { return m.work >= first; });
  return later == d.moments.end() ? monotonic_ns() : later->at_ns;
}

// Inference loops and unknown optimisers: what most of the work since the last piece repeats.
bool plainly_periodic(Detector& d, uint64_t now) {
  uint64_t since = std::max(d.first_work_ns, d.last_piece_ns);
  if (now < d.next_check_ns || now - since < plain_wait_ns()) return false;
  d.next_check_ns = now + std::min<uint64_t>(plain_wait_ns() / 2, 5000000000u);
  Repetition found = repetition_of_most(d.work, std::max(kPlainRepeats, wanted_repeats()));
  if (found.period < kSmallestPlainStep || !computes(d, found.period)) return false;
  if (now - began_ns(d, found) < patience_ns(d, found)) return false;
  return finish(d, Steadiness::without_optimizer, found.period), true;
}

bool out_of_time(const Detector& d, uint64_t now) {
  uint64_t limit = static_cast<uint64_t>(config().max_seconds) * 1000000000u;
  return limit && now - d.first_work_ns > limit;
}

void remember(Detector& d, const WorkKey& key) {
  d.exact_piece = mix(d.exact_piece, key.exact);
  d.loose_piece = mix(d.loose_piece, key.loose);
  ++d.amount;
  // Half of a long past is forgotten at a time: only its end is looked at.
  if (d.work.size() == kRememberedWork) {
    d.work.erase(d.work.begin(), d.work.begin() + kRememberedWork / 2);
    d.forgotten += kRememberedWork / 2;
  }
  d.work.push_back(key.moves_data ? key.exact | kMovesData : key.exact & ~kMovesData);
  if (on_backward_thread()) d.backward = d.backward_in_piece = true;
}

// What to do after this piece of work.
enum class Verdict { go_on, steady, out_of_time };

Verdict judge(Detector& d, const WorkKey& key) {
  bool steady = piece_ended(d, key) && close_piece(d);
  remember(d, key);
  if (key.whole_step) {
    d.in_update = false;
    steady = close_piece(d) || steady;
  }
  if (steady) return Verdict::steady;
  if (++d.calls % 256 != 0 && d.calls > 1) return Verdict::go_on;
  uint64_t now = monotonic_ns();
  if (!d.first_work_ns) d.first_work_ns = now;
  d.moments.push_back({now, d.forgotten + d.work.size()});
  if (out_of_time(d, now)) return d.finished = true, Verdict::out_of_time;
  return plainly_periodic(d, now) ? Verdict::steady : Verdict::go_on;
}

}  // namespace

void observe_work(const WorkKey& key) {
  Detector& d = detector();
  d.any_work.store(true, std::memory_order_relaxed);
  if (config().steps <= 0) return;
  Verdict verdict = Verdict::go_on;
  bool finished;
  {
    std::lock_guard<std::mutex> guard(d.lock);
    finished = d.finished;
    if (!finished) verdict = judge(d, key);
  }
  if (verdict == Verdict::steady) board_publish_ready();
  if (verdict == Verdict::out_of_time) return stop_run(EndReason::max_seconds);
  // A rank goes on until all have seen enough: its peers may still need its part in their collectives.
  if ((finished || verdict == Verdict::steady) && board_all_ready()) stop_run(EndReason::steps);
}

Update update_by_name(const char* mangled) {
  for (const char* word : {"Adam", "adam", "SGD", "Sgd", "sgd_", "LAMB", "Lamb", "Lion", "Adagrad",
                           "optimizer", "Optimizer", "triton_for_fused"}) {
    if (std::strstr(mangled, word)) return Update::optimizer;
  }
  if (!std::strstr(mangled, "multi_tensor_apply")) return Update::none;
  // The same machinery copies, zeroes and measures lists of tensors, inside a step as well as at its end.
  for (const char* word : {"Copy", "Zero", "LpNorm", "NonFinite", "non_finite"}) {
    if (std::strstr(mangled, word)) return Update::none;
  }
  return Update::tensor_list;
}

}  // namespace maya

void maya_optimizer_made() {
  maya::stop_watching_gradients();
  maya::Detector& d = maya::detector();
  std::lock_guard<std::mutex> guard(d.lock);
  d.expected = true;
  ++d.optimizers;
}

void maya_optimizer_stepped() {
  maya::Detector& d = maya::detector();
  std::lock_guard<std::mutex> guard(d.lock);
  d.stepped = true;
  // Many scripts use a GPU only when told to, and would otherwise be recorded in vain until --max-seconds.
  if (!d.any_work && maya::config().record && ++d.steps_without_work == maya::kStepsWithoutWork) {
    std::fprintf(stderr,
                 "maya: %zu steps of the optimiser and no work for the GPU: the program trains on the CPU\n",
                 d.steps_without_work);
  }
}
