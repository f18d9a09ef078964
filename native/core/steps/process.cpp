#include "steps/process.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "clock.h"
#include "helper.h"
#include "maya/exchange.h"
#include "maya/runtime.h"
#include "recorder.h"
#include "saving.h"
#include "steps/backward.h"
#include "steps/core_wait.h"
#include "steps/detector.h"
#include "steps/held_core.h"
#include "steps/settling.h"
#include "stop.h"

namespace maya {
namespace {

constexpr size_t kStepsWithoutWork = 50;
constexpr uint64_t kHeldTimes =
    10;  // the settling time: ranks share the cores, and the rest of the machine waits
constexpr uint32_t kWorkBetweenLooks = 64;  // a power of two: the counter wraps

uint64_t seconds_to_ns(int seconds) {
  return static_cast<uint64_t>(std::max(seconds, 0)) * 1'000'000'000u;
}

// From the first work on. The command's time began when it was started, perhaps several times.
uint64_t time_left_ns(const Config& config) {
  if (!config.deadline_ns) return seconds_to_ns(config.max_seconds);
  uint64_t now = monotonic_ns();
  return config.deadline_ns > now ? config.deadline_ns - now : 1;
}

StepRules rules_of(const Config& config) {
  StepRules rules;
  rules.steps = static_cast<size_t>(std::max(config.steps, 1));
  rules.plain_wait_ns = seconds_to_ns(config.plain_seconds);
  rules.limit_ns = time_left_ns(config);
  rules.now_ns = monotonic_ns;
  rules.watch = {static_cast<size_t>(std::max(config.watch_steps, 0)), seconds_to_ns(2), 5, 64,
                 seconds_to_ns(15)};
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

// `kind` tells pieces that did other work apart.
void note_boundary(size_t piece, uint64_t kind, bool of_executable) {
  static Schema update{"step_boundary", Kind::step, nullptr, 0};
  static Schema launch{"executable_boundary", Kind::step, nullptr, 0};
  note(of_executable ? launch : update, {}, 0, piece, kind);
  mark_steps_seen();
}

void note_steady(const Steady& steady, size_t last_piece) {
  static const char* const fields[] = {"how", "period", "steps"};
  static Schema schema{"steady", Kind::step, fields, 3};
  auto number = [](size_t value) { return static_cast<int64_t>(value); };
  note(schema, {static_cast<int64_t>(steady.how), number(steady.period), number(steady.steps)}, 0,
       last_piece);
}

void record(const Outcome& outcome, const StepDetector& detector) {
  const Pieces& pieces = detector.pieces();
  for (size_t left = outcome.pieces_ended; left > 0; --left) {
    size_t piece = pieces.size() - left;
    note_boundary(piece + 1, pieces[piece].loose, detector.counts_executables());
  }
  if (outcome.steady) note_steady(*outcome.steady, pieces.size());
}

Outcome observe(StepDetector& detector, const WorkKey& work) {
  WorkKey seen = work;
  seen.in_backward = on_backward_thread();
  Outcome outcome = detector.observe(seen);
  record(outcome, detector);
  return outcome;
}

// "step" names "step", "step 12" and "step#12", but not "step_optimizer".
bool names_step(const char* range, const std::string& marker) {
  if (marker.empty() || std::strncmp(range, marker.c_str(), marker.size()) != 0) return false;
  return range[marker.size() + std::strspn(range + marker.size(), " #:0123456789")] == '\0';
}

uint64_t settle_ns() {
  return static_cast<uint64_t>(std::max(config().settle_ms, 0)) * 1'000'000u;
}

Settling& settling() {
  static Settling instance(settle_ns(), core_wait_ns);
  return instance;
}

void begin_settling() {
  settling().begin(read_clock(CLOCK_PROCESS_CPUTIME_ID), monotonic_ns());
  hold_core(kHeldTimes * settle_ns(), config().world_size > 1 ? config().rank : -1);
}

// Whether this rank has shown enough. Asked for every piece of work, so the clocks are not read each time.
bool has_settled() {
  static std::atomic<bool> settled{false};
  static std::atomic<uint32_t> works{0};
  if (settled.load(std::memory_order_relaxed)) return true;
  if (works.fetch_add(1, std::memory_order_relaxed) % kWorkBetweenLooks) return false;
  if (!settling().over(read_clock(CLOCK_PROCESS_CPUTIME_ID), monotonic_ns())) return false;
  if (!settled.exchange(true)) {
    release_core();
    board_publish_ready();
  }
  return true;
}

// Where nobody looks for steps.
void end_in_time() {
  static const uint64_t limit_ns = monotonic_ns() + time_left_ns(config());
  static std::atomic<uint32_t> works{0};
  // Two threads may count as one: a locked addition would be a tenth of what a launch costs.
  uint32_t work = works.load(std::memory_order_relaxed);
  works.store(work + 1, std::memory_order_relaxed);
  if (work % kWorkBetweenLooks) return;
  gradient_watch().stop();
  if (config().max_seconds > 0 && monotonic_ns() > limit_ns && !is_helper()) stop_run(EndReason::max_seconds);
}

// Many scripts use a GPU only when told to, and would otherwise be recorded in vain until --max-seconds.
void end_cpu_training() {
  if (config().steps > 0 && !has_older_process()) return stop_run(EndReason::cpu_only);
  std::fprintf(stderr,
               "maya: %zu steps of the optimiser and no work for the GPU: the program trains on the CPU\n",
               kStepsWithoutWork);
}

}  // namespace

void observe_work(const WorkKey& work) {
  ProcessSteps& steps = process_steps();
  steps.any_work.store(true, std::memory_order_relaxed);
  if (config().steps <= 0) return end_in_time();
  if (is_saving()) return;
  Outcome outcome;
  bool had_finished;
  {
    std::lock_guard<std::mutex> guard(steps.lock);
    StepDetector& detector = detector_of(steps);
    had_finished = detector.finished();
    outcome = observe(detector, work);
  }
  if ((had_finished || outcome.steady || outcome.out_of_time) && is_helper()) return;
  if (outcome.steady) begin_settling();
  if (outcome.out_of_time) return stop_run(EndReason::max_seconds);
  // A rank goes on until all have seen enough: its peers may still need its part in their collectives.
  if ((had_finished || outcome.steady) && has_settled() && board_all_ready()) stop_run(EndReason::steps);
}

void observe_wait() {
  ProcessSteps& steps = process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  if (steps.detector && !steps.detector->finished()) steps.detector->separated();
}

void observe_range(const char* name) {
  ProcessSteps& steps = process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  bool marked = names_step(name, config().step_marker);
  if (!steps.detector || steps.detector->finished()) return;
  if (marked) {
    steps.detector->marked();
  } else if (std::optional<uint64_t> executable = launched_executable(name)) {
    steps.detector->executable_begins(*executable, static_cast<uint64_t>(syscall(SYS_gettid)));
  } else {
    steps.detector->range_begins();
  }
}

void conclude_steps() {
  ProcessSteps& steps = process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  if (steps.detector) record(steps.detector->conclude(), *steps.detector);
}

}  // namespace maya

void maya_range_begun(const char* name) {
  maya::observe_range(name);
}

void maya_optimizer_made() {
  maya::ProcessSteps& steps = maya::process_steps();
  std::lock_guard<std::mutex> guard(steps.lock);
  if (steps.detector) return steps.detector->optimizer_made();
  ++steps.optimizers_made;
}

void maya_optimizer_stepped() {
  maya::ProcessSteps& steps = maya::process_steps();
  bool cpu_training;
  {
    std::lock_guard<std::mutex> guard(steps.lock);
    if (steps.detector) steps.detector->optimizer_stepped();
    cpu_training =
        !steps.any_work && maya::config().record && ++steps.steps_without_work == maya::kStepsWithoutWork;
  }
  if (cpu_training) maya::end_cpu_training();
}
