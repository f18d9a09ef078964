#include "steps/detector.h"

#include <algorithm>
#include <cstring>
#include <mutex>
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

constexpr size_t kLargestPeriod = 512;     // pieces in a step
constexpr size_t kLooseRepeats = 8;        // extra steps asked for when sizes vary from step to step
constexpr size_t kPlainRepeats = 32;       // repetitions asked for when no optimiser was ever seen
constexpr size_t kSmallestPlainStep = 8;   // a benchmark of one kernel repeats too
constexpr size_t kFewestGradients = 3;     // read in a row by a nameless optimiser
constexpr size_t kLongestUpdateOfOne = 8;  // operations between two reads: Adam written out has seven
constexpr uint64_t kWaitForExpected = 10;  // times longer for an optimiser that the program has
constexpr size_t kRememberedWork = size_t{1} << 20;

enum class Steadiness : int64_t { exact = 1, loose = 2, without_optimizer = 3 };

struct Detector {
  std::mutex lock;
  uint64_t first_work_ns = 0;
  uint64_t last_piece_ns = 0;
  uint64_t next_check_ns = 0;
  bool in_update = false;
  bool named = false;     // some work bore an optimiser's name
  bool expected = false;  // the program has an optimiser
  bool stepped = false;   // an optimiser said so, and no work has come since
  bool finished = false;
  uint64_t exact_piece = 0;
  uint64_t loose_piece = 0;
  std::vector<uint64_t> exact;  // one hash a piece
  std::vector<uint64_t> loose;
  std::vector<uint64_t> work;  // keys, until an optimiser has been seen
  size_t calls = 0;
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

void finish(Detector& d, Steadiness how, size_t period) {
  static const char* const fields[] = {"how", "period", "steps"};
  static Schema schema{"steady", Kind::step, fields, 3};
  note(schema, {static_cast<int64_t>(how), static_cast<int64_t>(period), config().steps}, 0, d.exact.size());
  d.finished = true;
  stop_watching_gradients();
}

size_t wanted_repeats() {
  return static_cast<size_t>(std::max(config().steps, 1)) + 1;
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

// Work that bears an optimiser's name is the best sign, an optimiser that says so the next; gradients are
// followed until either is there.
bool piece_ended(Detector& d, const WorkKey& key) {
  bool update_ended = d.in_update && !key.updates_weights;
  d.in_update = key.updates_weights;
  if (key.updates_weights) {
    d.named = true;
    stop_watching_gradients();
  }
  if (std::exchange(d.stepped, false) && !d.named) return true;
  if (!watching_gradients() || !applies_gradients(d, key)) return update_ended;
  forget_gradients();
  return true;
}

// A piece of work between two optimiser updates is complete. True when the run is steady.
bool close_piece(Detector& d) {
  d.exact.push_back(d.exact_piece);
  d.loose.push_back(d.loose_piece);
  d.exact_piece = d.loose_piece = 0;
  d.work.clear();
  d.last_piece_ns = monotonic_ns();
  note_boundary(d.exact.size());
  if (size_t period = period_at_end(d.exact, wanted_repeats(), kLargestPeriod)) {
    return finish(d, Steadiness::exact, period), true;
  }
  if (size_t period = period_at_end(d.loose, wanted_repeats() + kLooseRepeats, kLargestPeriod)) {
    return finish(d, Steadiness::loose, period), true;
  }
  return false;
}

// Inference loops and unknown optimisers: any repetition will do, after a while.
bool plainly_periodic(Detector& d, uint64_t now) {
  uint64_t since = std::max(d.first_work_ns, d.last_piece_ns);
  // Evaluation may come before training, so an optimiser is waited for.
  uint64_t wait = static_cast<uint64_t>(std::max(config().plain_seconds, 0)) * 1000000000u;
  if (d.expected) wait *= kWaitForExpected;  // a step may have many micro-batches
  if (now < d.next_check_ns || now - since < wait) return false;
  d.next_check_ns = now + std::min<uint64_t>(wait / 2, 5000000000u);
  size_t period = long_period_at_end(d.work, kPlainRepeats);
  if (period < kSmallestPlainStep) return false;
  return finish(d, Steadiness::without_optimizer, period), true;
}

bool out_of_time(const Detector& d, uint64_t now) {
  uint64_t limit = static_cast<uint64_t>(config().max_seconds) * 1000000000u;
  return limit && now - d.first_work_ns > limit;
}

void remember(Detector& d, const WorkKey& key) {
  d.exact_piece = mix(d.exact_piece, key.exact);
  d.loose_piece = mix(d.loose_piece, key.loose);
  // Half of a long past is forgotten at a time: only its end is looked at.
  if (d.work.size() == kRememberedWork) d.work.erase(d.work.begin(), d.work.begin() + kRememberedWork / 2);
  d.work.push_back(key.exact);
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
  if (out_of_time(d, now)) return d.finished = true, Verdict::out_of_time;
  return plainly_periodic(d, now) ? Verdict::steady : Verdict::go_on;
}

}  // namespace

void observe_work(const WorkKey& key) {
  if (config().steps <= 0) return;
  Detector& d = detector();
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

bool name_updates_weights(const char* mangled) {
  for (const char* word : {"Adam", "adam", "SGD", "Sgd", "sgd_", "LAMB", "Lamb", "Lion", "Adagrad",
                           "optimizer", "Optimizer", "triton_for_fused"}) {
    if (std::strstr(mangled, word)) return true;
  }
  if (!std::strstr(mangled, "multi_tensor_apply")) return false;
  // The same machinery copies, zeroes and measures lists of tensors, inside a step as well as at its end.
  for (const char* word : {"Copy", "Zero", "LpNorm", "NonFinite", "non_finite"}) {
    if (std::strstr(mangled, word)) return false;
  }
  return true;
}

}  // namespace maya

void maya_optimizer_made() {
  maya::stop_watching_gradients();
  maya::Detector& d = maya::detector();
  std::lock_guard<std::mutex> guard(d.lock);
  d.expected = true;
}

void maya_optimizer_stepped() {
  maya::Detector& d = maya::detector();
  std::lock_guard<std::mutex> guard(d.lock);
  d.stepped = true;
}
