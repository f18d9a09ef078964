#include "steps/detector.h"

#include <utility>

namespace maya {

StepDetector::StepDetector(StepRules rules, GradientWatch& gradients)
    : rules_(std::move(rules)), gradients_(gradients), boundary_(gradients), loop_(rules_) {}

void StepDetector::optimizer_made() {
  boundary_.expect_reports();
  ++optimizers_;
}

Outcome StepDetector::observe(const WorkKey& work) {
  Outcome outcome;
  if (boundary_.before(work, pieces_.open().gradients)) close_piece(outcome);
  pieces_.add(work);
  loop_.add(work);
  if (work.whole_step) {
    boundary_.end_update();
    close_piece(outcome);
  }
  if (work_seen_++ % rules_.work_between_looks == 0 && !outcome.steady) look_at_clock(outcome);
  finished_ = outcome.steady || outcome.out_of_time;
  if (finished_) gradients_.stop();
  return outcome;
}

void StepDetector::close_piece(Outcome& outcome) {
  pieces_.close();
  ++outcome.pieces_ended;
  loop_.restart(rules_.now_ns());
  if (!outcome.steady) outcome.steady = find_steady(pieces_, rules_.steps, optimizers_);
}

void StepDetector::look_at_clock(Outcome& outcome) {
  uint64_t now = rules_.now_ns();
  if (!first_work_ns_) first_work_ns_ = now;
  outcome.out_of_time = rules_.limit_ns && now - first_work_ns_ > rules_.limit_ns;
  Awaited awaited{boundary_.reports_expected(), boundary_.gradients_seen()};
  size_t period = loop_.period(now, awaited);
  if (period && !outcome.out_of_time) outcome.steady = {Steadiness::without_optimizer, period, rules_.steps};
}

}  // namespace maya
