#include "steps/pieces.h"

#include <utility>

#include "hash.h"

namespace maya {

void Pieces::add(const WorkKey& work) {
  open_.exact = mix(open_.exact, work.exact);
  open_.loose = mix(open_.loose, work.loose);
  ++open_.amount;
  open_.gradients |= work.in_backward;
}

void Pieces::close() {
  closed_.push_back(std::exchange(open_, Piece{}));
  exact_.push_back(closed_.back().exact);
  loose_.push_back(closed_.back().loose);
}

}  // namespace maya
