#include "steps/boundary.h"

#include <utility>

namespace maya {
namespace {

constexpr size_t kFewestGradients = 3;     // read in a row by a nameless optimiser
constexpr size_t kLongestUpdateOfOne = 8;  // operations between two reads: Adam written out has seven

}  // namespace

void Boundary::expect_reports() {
  gradients_.stop();
  reports_expected_ = true;
}

bool Boundary::before(const WorkKey& work, bool gradients_in_piece) {
  bool ended = update_ended(work, gradients_in_piece);
  gradients_seen_ |= work.in_backward;
  if (!gradients_.watching() || !gradients_applied(work)) return ended;
  gradients_.forget();
  return true;
}

// Lists of tensors are worked on for other reasons too (gradients of micro-batches are added up), so that
// counts for nothing once an optimiser is known that will speak.
bool Boundary::update_ended(const WorkKey& work, bool gradients_in_piece) {
  bool updates =
      work.update == Update::optimizer || (work.update == Update::tensor_list && !reports_expected_);
  bool ended = std::exchange(in_update_, updates) && !updates;
  if (updates) gradients_.stop();
  if (std::exchange(reported_, false)) return reports_come_ = true;
  if (reports_come_) return false;
  // Without gradients since the last update the same one goes on, with the next parameter.
  return ended && (gradients_in_piece || !gradients_seen_);
}

// One read proves little: memory that backward wrote is used again, and not every writer is known. An
// optimiser reads gradient after gradient, with little between.
bool Boundary::gradients_applied(const WorkKey& work) {
  if (!work.applies_gradient) {
    if (++since_gradient_ > kLongestUpdateOfOne) gradients_read_ = 0;
    return false;
  }
  since_gradient_ = 0;
  if (++gradients_read_ < kFewestGradients) return false;
  gradients_read_ = 0;
  return true;
}

}  // namespace maya
