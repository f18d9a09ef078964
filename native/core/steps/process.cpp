#include "steps/process.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

#include "clock.h"
#include "maya/exchange.h"
#include "maya/runtime.h"
#include "steps/backward.h"
#include "steps/detector.h"
#include "stop.h"

namespace maya {
namespace {

constexpr size_t kStepsWithoutWork = 50;

uint64_t seconds_to_ns(int seconds) {
  return static_cast<uint64_t>(std::max(seconds, 0)) * 1'000'000'000u;
}

StepRules rules_of(const Config& config) {
  StepRules rules;
  rules.steps = static_cast<size_t>(std::max(config.steps, 1));
  rules.plain_wait_ns = seconds_to_ns(config.plain_seconds);
  rules.limit_ns = seconds_to_ns(config.max_seconds);
  rules.now_ns = monotonic_ns;
  return rules;
}

struct ProcessSteps {
  std::mutex lock;
  std::atomic<bool> any_work{false};  // also where nobody looks for steps
  size_t steps_without_work = 0;
  size_t optimizers_made = 0;  // before the first work
  std::optional<StepDetector> detector;
};

ProcessSteps& process_steps() {
  static ProcessSteps* instance = new ProcessSteps;
  return *instance;
}

// Made at the first work: a launcher may tell a process its rank after it has made its optimiser, and the
// configuration is read once.
StepDetector& detector_of(ProcessSteps& steps) {
  if (!steps.detector) {
    steps.detector.emplace(rules_of(config()), gradient_watch());
    for (size_t i = 0; i < steps.optimizers_made; ++i) steps.detector->optimizer_made();
  }
  return *steps.detector;
}

void note_boundary(size_t piece) {
  static Schema schema{"step_boundary", Kind::step, nullptr, 0};
  note(schema, {}, 0, piece);
}

void note_steady(const Steady& steady, size_t last_piece) {
  static const char* const fields[] = {"how", "period", "steps"};
  static Schema schema{"steady", Kind::step, fields, 3};
  auto number = [](size_t value) { return static_cast<int64_t>(value); };
  note(schema, {static_cast<int64_t>(steady.how), number(steady.period), number(steady.steps)}, 0,
       last_piece);
}

void record(const Outcome& outcome, size_t pieces) {
  for (size_t left = outcome.pieces_ended; left > 0; --left) note_boundary(pieces - left + 1);
  if (outcome.steady) note_steady(*outcome.steady, pieces);
}

Outcome observe(StepDetector& detector, const WorkKey& work) {
  WorkKey seen = work;
  seen.in_backward = on_backward_thread();
  Outcome outcome = detector.observe(seen);
  record(outcome, detector.pieces().size());
  return outcome;
}

}  // namespace

void observe_work(const WorkKey& work) {
  ProcessSteps& steps = process_steps();
  steps.any_work.store(true, std::memory_order_relaxed);
  if (config().steps <= 0) return;
  Outcome outcome;
  bool had_finished;
  {
    std::lock_guard<std::mutex> guard(steps.lock);
    StepDetector& detector = detector_of(steps);
    had_finished = detector.finished();
    if (!had_finished) outcome = observe(detector, work);
  }
  if (outcome.steady) board_publish_ready();
  if (outcome.out_of_time) return stop_run(EndReason::max_seconds);
  // A rank goes on until all have seen enough: its peers may still need its part in their collectives.
  if ((had_finished || outcome.steady) && board_all_ready()) stop_run(EndReason::steps);
}

}  // namespace maya

void maya_optimizer_made() {
  maya::ProcessSteps& steps = maya::process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  if (steps.detector) return steps.detector->optimizer_made();
  ++steps.optimizers_made;
}

void maya_optimizer_stepped() {
  maya::ProcessSteps& steps = maya::process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  if (steps.detector) steps.detector->optimizer_stepped();
  // Many scripts use a GPU only when told to, and would otherwise be recorded in vain until --max-seconds.
  if (!steps.any_work && maya::config().record && ++steps.steps_without_work == maya::kStepsWithoutWork) {
    std::fprintf(stderr,
                 "maya: %zu steps of the optimiser and no work for the GPU: the program trains on the CPU\n",
                 steps.steps_without_work);
  }
}
