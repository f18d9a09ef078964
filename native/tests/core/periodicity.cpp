// Repetition at the end of a sequence, as the step detector sees it.
#include <vector>

#include "../../core/steps/periodicity.h"
#include "../expect.h"

using namespace maya;

namespace {

using Sequence = std::vector<uint64_t>;

Sequence repeated(const Sequence& unit, size_t times, Sequence start = {}) {
  for (size_t i = 0; i < times; ++i) start.insert(start.end(), unit.begin(), unit.end());
  return start;
}

void equal_steps_have_period_one() {
  CHECK(period_at_end(repeated({7}, 4, {1, 2}), 4, 8) == 1);
  CHECK(period_at_end(repeated({7}, 3, {1, 2}), 4, 8) == 0);
}

void two_optimisers_make_a_step_of_two_pieces() {
  CHECK(period_at_end(repeated({1, 2}, 4), 4, 8) == 2);
  CHECK(period_at_end(repeated({1, 2}, 3), 4, 8) == 0);
}

void a_step_that_differs_starts_the_count_again() {
  CHECK(period_at_end({5, 5, 5, 9, 5, 5}, 3, 8) == 0);
  CHECK(period_at_end({5, 5, 5, 9, 5, 5, 5}, 3, 8) == 1);
}

void the_smallest_period_wins() {
  CHECK(period_at_end(repeated({3}, 12), 4, 8) == 1);
  CHECK(repetition_of_most(repeated({1, 2, 3}, 12, {9, 9}), 4).period == 3);
}

void long_sequences_need_enough_repetitions() {
  Repetition found = repetition_of_most(repeated({1, 2, 3, 4}, 5, {8, 7, 6}), 5);
  CHECK(found.period == 4 && found.length == 20);
  CHECK(repetition_of_most(repeated({1, 2, 3, 4}, 4, {8, 7, 6}), 5).period == 0);
  CHECK(repetition_of_most({}, 3).period == 0);
}

// Ten layers a pass: at the end of each they have repeated often, but the pass is what most of it repeats.
void layers_are_no_step() {
  Sequence pass = repeated({1, 2, 3}, 10, {7, 8});
  CHECK(repetition_of_most(repeated(pass, 5), 5).period == pass.size());
  CHECK(repetition_of_most(repeated(pass, 3), 5).period == 0);
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"equal_steps_have_period_one", equal_steps_have_period_one},
          {"two_optimisers_make_a_step_of_two_pieces", two_optimisers_make_a_step_of_two_pieces},
          {"a_step_that_differs_starts_the_count_again", a_step_that_differs_starts_the_count_again},
          {"the_smallest_period_wins", the_smallest_period_wins},
          {"long_sequences_need_enough_repetitions", long_sequences_need_enough_repetitions},
          {"layers_are_no_step", layers_are_no_step},
      },
      count, arguments);
}
