// Who gives what to whom in each collective.
#pragma once

#include <cstddef>

#include "maya/exchange.h"

namespace maya {

struct Plan {
  size_t input_bytes = 0;   // of this member's input; 0: it gives nothing
  size_t output_bytes = 0;  // of its output; 0: it receives nothing
  size_t letter_bytes = 0;  // of the letter of each member it hears from
  size_t slice_offset = 0;  // its part of such a letter
  size_t slice_bytes = 0;
  int target = -1;       // of this member's letter
  int only_source = -1;  // hears from this member alone; -1: from all
  bool reduces = false;
  bool direct = false;  // send and recv have an order of their own
};

Plan make_plan(const Operation& operation);
// Whether its values are really exchanged: the same on all members.
bool is_small(const Operation& operation);

}  // namespace maya
