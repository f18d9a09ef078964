// Which bytes of device memory are known.
#include "../../core/known_values.h"

#include "../../core/assumptions.h"
#include "../../core/blocks.h"
#include "../expect.h"
#include "maya/exchange.h"
#include "maya/memory.h"

using namespace maya;

namespace {

char memory[4096];
uintptr_t at(size_t offset) {
  return reinterpret_cast<uintptr_t>(memory) + offset;
}

}  // namespace

// One allocation of the device, from which pieces are cut.
bool maya::find_allocation(const void*, Allocation* found) {
  *found = {};
  found->address = at(0);
  found->bytes = sizeof memory;
  return true;
}

bool maya::is_device_address(uintptr_t address) {
  return address >= at(0) && address < at(sizeof memory);
}

// Messages that are still on their way, and who was told of them.
std::atomic<int> maya::exchanges_under_way{0};
namespace {
size_t bytes_awaited = 0, bytes_superseded = 0;
}
void maya::settle_exchanges(const void*, size_t bytes, Reader) {
  bytes_awaited += bytes;
}
void maya::supersede_exchanges(const void*, size_t bytes) {
  bytes_superseded += bytes;
}

namespace {

void readers_wait_for_messages_and_writers_take_their_place() {
  KnownValues known;
  known.learn(at(0), 8);
  CHECK(known.knows(at(0), 8) && bytes_awaited == 0 && bytes_superseded == 0);
  exchanges_under_way = 1;
  CHECK(known.knows(at(0), 8) && bytes_awaited == 8 && bytes_superseded == 0);
  known.learn(at(0), 16);
  CHECK(bytes_awaited == 8 && bytes_superseded == 16);
}

void adjacent_ranges_are_known_as_one() {
  KnownValues known;
  known.learn(at(0), 16);
  known.learn(at(16), 16);
  CHECK(known.knows(at(0), 32));
  CHECK(known.knows(at(8), 16));
  CHECK(!known.knows(at(0), 33));
}

void a_write_of_unknown_extent_loses_the_piece_it_was_given() {
  KnownValues known;
  blocks().add(at(512), 512);
  blocks().add(at(1024), 512);
  for (size_t offset : {508, 512, 768, 1020, 1024}) known.learn(at(offset), 4);
  known.forget_reachable(at(768));
  CHECK(!known.knows_any(at(512), 512));
  CHECK(known.knows(at(508), 4) && known.knows(at(1024), 4));
}

void a_write_into_no_piece_loses_what_lies_between_its_neighbours() {
  KnownValues known;
  blocks().add(at(0), 512);
  blocks().add(at(1024), 512);
  known.learn(at(0), 2048);
  known.forget_reachable(at(600));
  CHECK(known.knows(at(0), 512) && known.knows(at(1024), 1024));
  CHECK(!known.knows_any(at(512), 512));
}

void a_piece_handed_out_again_replaces_those_it_covers() {
  KnownValues known;
  blocks().add(at(0), 512);
  blocks().add(at(512), 512);
  blocks().add(at(0), 1024);
  known.learn(at(0), 1024);
  known.forget_reachable(at(900));
  CHECK(!known.knows_any(at(0), 1024));
}

void a_value_learnt_in_a_piece_that_was_empty_is_lost_with_the_next_write() {
  KnownValues known;
  blocks().add(at(0), 512);
  known.learn(at(600), 8);  // elsewhere: something is known at all
  known.forget_reachable(at(0));
  CHECK(!blocks().may_hold_values(at(0)));
  known.learn(at(256), 8);
  CHECK(blocks().may_hold_values(at(0)));
  known.forget_reachable(at(0));
  CHECK(!known.knows_any(at(0), 512));
  assumptions().set(at(8), Assumption{});
  known.forget_reachable(at(0));
  CHECK(assumptions().within(at(0), 512).empty());
}

void a_smaller_piece_in_the_place_of_one_stays_empty_and_a_larger_one_is_not() {
  KnownValues known;
  CHECK(blocks().add(at(0), 512));
  known.forget_block({at(0), at(512)});
  CHECK(!blocks().add(at(0), 512));
  CHECK(!blocks().add(at(0), 256));
  known.learn(at(256), 8);  // behind the piece
  CHECK(!blocks().may_hold_values(at(0)));
  CHECK(blocks().add(at(0), 512));
  CHECK(blocks().may_hold_values(at(0)));
  known.forget_reachable(at(0));
  CHECK(!known.knows_any(at(0), 512));
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
  known.forget_range(at(16), 16);
  CHECK(known.knows(at(0), 16) && !known.knows(at(16), 1) && known.knows(at(32), 32));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"readers_wait_for_messages_and_writers_take_their_place",
           readers_wait_for_messages_and_writers_take_their_place},
          {"adjacent_ranges_are_known_as_one", adjacent_ranges_are_known_as_one},
          {"a_write_of_unknown_extent_loses_the_piece_it_was_given",
           a_write_of_unknown_extent_loses_the_piece_it_was_given},
          {"a_write_into_no_piece_loses_what_lies_between_its_neighbours",
           a_write_into_no_piece_loses_what_lies_between_its_neighbours},
          {"a_piece_handed_out_again_replaces_those_it_covers",
           a_piece_handed_out_again_replaces_those_it_covers},
          {"a_value_learnt_in_a_piece_that_was_empty_is_lost_with_the_next_write",
           a_value_learnt_in_a_piece_that_was_empty_is_lost_with_the_next_write},
          {"a_smaller_piece_in_the_place_of_one_stays_empty_and_a_larger_one_is_not",
           a_smaller_piece_in_the_place_of_one_stays_empty_and_a_larger_one_is_not},
          {"forgetting_the_middle_keeps_both_ends", forgetting_the_middle_keeps_both_ends},
          {"reading_gives_zeros_where_nothing_is_known", reading_gives_zeros_where_nothing_is_known},
          {"learning_over_a_range_replaces_it", learning_over_a_range_replaces_it},
      },
      count, arguments);
}
