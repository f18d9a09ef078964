// How long a program goes on after its steps were found.
#include "../../core/steps/settling.h"

#include "../expect.h"

using namespace maya;

namespace {

constexpr uint64_t kWantedNs = 1000;
uint64_t waited_ns = 0;

Settling begun() {
  Settling settling(kWantedNs, [] { return waited_ns; });
  settling.begin(500, 90'000);
  return settling;
}

void it_takes_the_cpu_time_that_was_asked_for() {
  CHECK(!begun().over(500, 90'000));
  CHECK(!begun().over(1499, 91'000));
  CHECK(begun().over(1500, 91'000));
}

void a_process_that_waits_for_others_does_not_hold_them() {
  CHECK(!begun().over(600, 93'999));
  CHECK(begun().over(600, 94'000));
}

void waiting_for_a_core_does_not_count_but_has_an_end() {
  Settling settling = begun();
  waited_ns = 3000;
  CHECK(!settling.over(600, 96'999));
  CHECK(settling.over(600, 97'000));
  waited_ns = 1'000'000;
  CHECK(!settling.over(600, 129'999));
  CHECK(settling.over(600, 130'000));
}

void nothing_asked_is_over_at_once() {
  Settling settling(0, [] { return waited_ns; });
  settling.begin(500, 90'000);
  CHECK(settling.over(500, 90'000));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"it_takes_the_cpu_time_that_was_asked_for", it_takes_the_cpu_time_that_was_asked_for},
          {"a_process_that_waits_for_others_does_not_hold_them",
           a_process_that_waits_for_others_does_not_hold_them},
          {"waiting_for_a_core_does_not_count_but_has_an_end",
           waiting_for_a_core_does_not_count_but_has_an_end},
          {"nothing_asked_is_over_at_once", nothing_asked_is_over_at_once},
      },
      count, arguments);
}
