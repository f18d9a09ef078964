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

bool StepDetector::piece_ends_before(const WorkKey& work) {
  if (marks_come_) return std::exchange(marked_, false);
  return boundary_.before(work, pieces_.open().gradients);
}

Outcome StepDetector::observe(const WorkKey& work) {
  Outcome outcome;
  if (piece_ends_before(work)) close_piece(outcome);
  pieces_.add(work);
  if (!found_) loop_.add(work);
  if (work.whole_step && !marks_come_) {
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
  loop_.restart(now);
  found_ = find_steady(pieces_, rules_.steps, marks_come_ ? 1 : optimizers_);
  if (!found_) return;
  bool repeats = found_->how == Steadiness::exact || found_->how == Steadiness::loose;
  if (!repeats || rules_.watch.steps == 0) {
    outcome.steady = found_;
  } else {
    watch_.begin(pieces_, *found_, now, now - first_work_ns_);
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
  if (marks_come_) return;
  Awaited awaited{boundary_.reports_expected(), boundary_.gradients_seen()};
  LoopStep step = loop_.step(now, awaited);
  if (step.period) outcome.steady = {Steadiness::without_optimizer, step.period, step.steps};
}

Outcome StepDetector::conclude() {
  Outcome outcome;
  if (finished_) return outcome;
  finished_ = true;
  outcome.steady = found_;             // it was merely being watched
  if (pieces_.size()) return outcome;  // what repeats behind an optimiser's last step is no step
  LoopStep step = loop_.step_at_end();
  if (step.period) outcome.steady = {Steadiness::without_optimizer, step.period, step.steps};
  return outcome;
}

}  // namespace maya
