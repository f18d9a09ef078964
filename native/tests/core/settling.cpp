// How long a program goes on after its steps were found.
#include "../../core/steps/settling.h"

#include "../expect.h"

using namespace maya;

namespace {

constexpr uint64_t kWantedNs = 1000;

Settling begun() {
  Settling settling(kWantedNs);
  settling.begin(500, 90'000);
  return settling;
}

void it_takes_the_cpu_time_that_was_asked_for() {
  CHECK(!begun().over(500, 90'000));
  CHECK(!begun().over(1499, 91'000));
  CHECK(begun().over(1500, 91'000));
}

void a_process_that_gets_no_core_does_not_hold_the_others() {
  CHECK(!begun().over(600, 93'999));
  CHECK(begun().over(600, 94'000));
}

void nothing_asked_is_over_at_once() {
  Settling settling(0);
  settling.begin(500, 90'000);
  CHECK(settling.over(500, 90'000));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"it_takes_the_cpu_time_that_was_asked_for", it_takes_the_cpu_time_that_was_asked_for},
          {"a_process_that_gets_no_core_does_not_hold_the_others",
           a_process_that_gets_no_core_does_not_hold_the_others},
          {"nothing_asked_is_over_at_once", nothing_asked_is_over_at_once},
      },
      count, arguments);
}
