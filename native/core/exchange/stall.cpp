#include "stall.h"

#include "board.h"
#include "failure.h"

namespace maya {
namespace {

// Long enough for a rank that is between two waits, and for a loaded machine.
constexpr uint64_t kStalledAfter = uint64_t{5} * 1000 * 1000 * 1000;

}  // namespace

Waiting::Waiting(const std::string& what) {
  board_wait_begins(what);
}

Waiting::~Waiting() {
  board_wait_ends();
}

void Waiting::check() {
  std::string who = board_all_waiting(kStalledAfter);
  if (!who.empty()) fail_job("the ranks wait for each other: " + who);
}

}  // namespace maya
