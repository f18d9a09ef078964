// Which bytes of device memory are known.
#include "../../core/known_values.h"

#include "../expect.h"

using namespace maya;

namespace {

char memory[4096];
uintptr_t at(size_t offset) {
  return reinterpret_cast<uintptr_t>(memory) + offset;
}

void adjacent_ranges_are_known_as_one() {
  KnownValues known;
  known.learn(at(0), 16);
  known.learn(at(16), 16);
  CHECK(known.knows(at(0), 32));
  CHECK(known.knows(at(8), 16));
  CHECK(!known.knows(at(0), 33));
}

void a_write_of_unknown_extent_loses_the_rest_of_its_range() {
  KnownValues known;
  known.learn(at(0), 64);
  known.learn(at(128), 64);
  known.forget_from(at(32));
  CHECK(known.knows(at(0), 32));
  CHECK(!known.knows(at(32), 1));
  CHECK(known.knows(at(128), 64));
}

void forgetting_the_middle_keeps_both_ends() {
  KnownValues known;
  known.learn(at(0), 96);
  known.forget_range(at(32), 32);
  CHECK(known.knows(at(0), 32) && known.knows(at(64), 32));
  CHECK(!known.knows(at(31), 2) && !known.knows(at(63), 2));
}

void reading_gives_zeros_where_nothing_is_known() {
  KnownValues known;
  for (char& byte : memory) byte = 5;
  known.learn(at(4), 2);
  char out[8];
  CHECK(!known.read(out, at(2), 8));
  CHECK(out[0] == 0 && out[1] == 0 && out[2] == 5 && out[3] == 5 && out[4] == 0);
  CHECK(known.read(out, at(4), 2));
}

void learning_over_a_range_replaces_it() {
  KnownValues known;
  known.learn(at(0), 64);
  known.learn(at(16), 16);
  CHECK(known.knows(at(0), 64));
  known.forget_from(at(16));
  CHECK(known.knows(at(0), 16) && !known.knows(at(16), 1) && known.knows(at(32), 32));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"adjacent_ranges_are_known_as_one", adjacent_ranges_are_known_as_one},
          {"a_write_of_unknown_extent_loses_the_rest_of_its_range",
           a_write_of_unknown_extent_loses_the_rest_of_its_range},
          {"forgetting_the_middle_keeps_both_ends", forgetting_the_middle_keeps_both_ends},
          {"reading_gives_zeros_where_nothing_is_known", reading_gives_zeros_where_nothing_is_known},
          {"learning_over_a_range_replaces_it", learning_over_a_range_replaces_it},
      },
      count, arguments);
}
