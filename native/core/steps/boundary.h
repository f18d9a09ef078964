// Where one piece ends: an optimiser has changed the weights.
#pragma once

#include <cstddef>

#include "steps/gradients.h"
#include "steps/work.h"

namespace maya {

// An optimiser that says so is the best sign, work that bears an optimiser's name the next; gradients are
// followed until either is there.
class Boundary {
 public:
  explicit Boundary(GradientWatch& gradients) : gradients_(gradients) {}

  // One of PyTorch's optimisers was made: it will say when it steps.
  void expect_reports();
  void optimizer_stepped() { reported_ = true; }
  // A graph with an optimiser inside has ended the piece already.
  void end_update() { in_update_ = false; }

  // Whether a piece ended before this work. `gradients_in_piece`: whether it has computed any.
  bool before(const WorkKey& work, bool gradients_in_piece);

  bool reports_expected() const { return reports_expected_; }
  bool gradients_seen() const { return gradients_seen_; }

 private:
  bool update_ended(const WorkKey& work, bool gradients_in_piece);
  bool gradients_applied(const WorkKey& work);

  GradientWatch& gradients_;
  bool in_update_ = false;
  bool reports_expected_ = false;
  bool reports_come_ = false;    // at least one optimiser has said that it stepped
  bool reported_ = false;        // and again, and no work has come since
  bool gradients_seen_ = false;  // in the whole run
  size_t gradients_read_ = 0;    // in a row
  size_t since_gradient_ = 0;    // work since the last of them
};

}  // namespace maya
