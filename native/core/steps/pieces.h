// The pieces that a run has been cut into, one for each update of the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "steps/work.h"

namespace maya {

struct Piece {
  uint64_t exact = 0;      // hash of its work, sizes included
  uint64_t loose = 0;      // hash of what kinds of work it is
  size_t amount = 0;       // of work
  bool gradients = false;  // whether it computed some
};

class Pieces {
 public:
  // Work belongs to the piece that is open.
  void add(const WorkKey& work);
  // Its kind is told, as the order of its work may be another each time.
  void describe(uint64_t kind) { open_.exact = open_.loose = kind; }
  // That one is complete.
  void close();

  const Piece& open() const { return open_; }
  size_t size() const { return closed_.size(); }
  const Piece& operator[](size_t index) const { return closed_[index]; }
  // One hash for each complete piece.
  const std::vector<uint64_t>& exact() const { return exact_; }
  const std::vector<uint64_t>& loose() const { return loose_; }

 private:
  Piece open_;
  std::vector<Piece> closed_;
  std::vector<uint64_t> exact_;
  std::vector<uint64_t> loose_;
};

}  // namespace maya
