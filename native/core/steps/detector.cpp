#include "steps/detector.h"

#include <utility>

namespace maya {

StepDetector::StepDetector(StepRules rules, GradientWatch& gradients)
    : rules_(std::move(rules)), gradients_(gradients), boundary_(gradients), loop_(rules_) {}

void StepDetector::optimizer_made() {
  boundary_.expect_reports();
  ++optimizers_;
}

void StepDetector::marked() {
  marks_come_ = marked_ = true;
  gradients_.stop();
}

void StepDetector::executable_begins(uint64_t executable, uint64_t thread) {
  if (marks_come_ || optimizers_) return;
  if (!executables_.seen()) {
    gradients_.stop();
    loop_.count_executables(rules_.now_ns());
  }
  executables_.begin(executable, thread);
}

bool StepDetector::piece_ends_before(const WorkKey& work) {
  if (marks_come_) return std::exchange(marked_, false);
  if (executables_.seen()) {
    std::optional<uint64_t> launched = executables_.cut();
    if (!launched) return false;
    pieces_.describe(*launched);
    if (!found_) loop_.add({*launched, *launched});
    return true;
  }
  return boundary_.before(work, pieces_.open().gradients);
}

Outcome StepDetector::observe(const WorkKey& work) {
  Outcome outcome;
  if (piece_ends_before(work)) close_piece(outcome);
  pieces_.add(work);
  executables_.add_work(work.amount);
  if (!found_ && !executables_.seen()) loop_.add(work);
  if (work.whole_step && !marks_come_ && !executables_.seen()) {
    boundary_.end_update();
    close_piece(outcome);
  }
  if (finished_) return outcome;
  if (work_seen_++ % rules_.work_between_looks == 0 && !outcome.steady) look_at_clock(outcome);
  finished_ = outcome.steady || outcome.out_of_time;
  if (finished_) gradients_.stop();
  return outcome;
}

void StepDetector::close_piece(Outcome& outcome) {
  pieces_.close();
  ++outcome.pieces_ended;
  if (!finished_ && !outcome.steady) look_for_steps(outcome);
}

void StepDetector::look_for_steps(Outcome& outcome) {
  uint64_t now = rules_.now_ns();
  if (found_) {
    if (watch_.is_over(pieces_, rules_.watch, now)) outcome.steady = found_;
    return;
  }
  if (counts_executables()) return;
  loop_.restart(now);
  std::optional<Steady> steady = find_steady(pieces_, rules_.steps, marks_come_ ? 1 : optimizers_);
  if (steady) believe(*steady, outcome, now);
}

void StepDetector::believe(const Steady& steady, Outcome& outcome, uint64_t now_ns) {
  found_ = steady;
  bool repeats = steady.how == Steadiness::exact || steady.how == Steadiness::loose;
  if (!repeats || rules_.watch.steps == 0) {
    outcome.steady = found_;
  } else {
    watch_.begin(pieces_, steady, now_ns, now_ns - first_work_ns_);
  }
}

void StepDetector::look_at_clock(Outcome& outcome) {
  uint64_t now = rules_.now_ns();
  if (!first_work_ns_) first_work_ns_ = now;
  bool late = rules_.limit_ns && now - first_work_ns_ > rules_.limit_ns;
  if (found_) {  // it was merely being watched
    if (late) outcome.steady = found_;
    return;
  }
  outcome.out_of_time = late;
  if (late) {
    outcome.steady = conclude().steady;
    return;
  }
  if (!marks_come_) look_at_loop(outcome, now);
}

void StepDetector::look_at_loop(Outcome& outcome, uint64_t now_ns) {
  Awaited awaited{boundary_.reports_expected(), boundary_.gradients_seen()};
  std::optional<Steady> steady = steady_loop(loop_.step(now_ns, awaited));
  if (steady) believe(*steady, outcome, now_ns);
}

// Executables are pieces; what else repeats is counted in pieces of work.
std::optional<Steady> StepDetector::steady_loop(const LoopStep& step) const {
  if (!step.period) return std::nullopt;
  auto how = executables_.seen() ? Steadiness::exact : Steadiness::without_optimizer;
  return Steady{how, step.period, step.steps};
}

Outcome StepDetector::conclude() {
  Outcome outcome;
  if (finished_) return outcome;
  finished_ = true;
  outcome.steady = found_;  // it was merely being watched
  bool ends_with_optimizer = pieces_.size() && !executables_.seen();
  if (found_ || ends_with_optimizer)
    return outcome;  // what repeats behind an optimiser's last step is no step
  outcome.steady = steady_loop(loop_.step_at_end());
  return outcome;
}

}  // namespace maya
