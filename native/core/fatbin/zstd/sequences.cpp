#include "../copy.h"
#include "block.h"

namespace maya::fatbin::zstd {
namespace {

// After a refill 57 bits can be read; this is what the three state updates take at most.
constexpr unsigned kRefillBits = 57;
constexpr unsigned kStateBits = 9 + 9 + 8;

struct Sequence {
  size_t literals;
  size_t match;
  size_t offset;
};

class SequenceReader {
 public:
  SequenceReader(const BlockState& state)
      : literals_(state.literal_lengths.cells),
        offsets_(state.offsets.cells),
        matches_(state.match_lengths.cells) {
    std::memcpy(repeats_, state.repeats, sizeof repeats_);
  }

  bool init(Bytes source, const BlockState& state) {
    if (!bits_.init(source)) return false;
    literals_ += bits_.read(state.literal_lengths.log);
    offsets_ += bits_.read(state.offsets.log);
    matches_ += bits_.read(state.match_lengths.log);
    return bits_.bits_left() >= 0;
  }

  Sequence next() {
    bits_.refill();
    Sequence s;
    // Order in the stream: offset, match length, literal length.
    const uint32_t value = offsets_->base + static_cast<uint32_t>(bits_.read(offsets_->extra_bits));
    s.match = matches_->base + static_cast<size_t>(bits_.read(matches_->extra_bits));
    const unsigned spent = unsigned{offsets_->extra_bits} + matches_->extra_bits;
    if (spent + literals_->extra_bits + kStateBits > kRefillBits) bits_.refill();
    s.literals = literals_->base + static_cast<size_t>(bits_.read(literals_->extra_bits));
    s.offset = resolve(value, s.literals == 0);
    return s;
  }

  // Not after the last sequence: the encoder wrote no states for it to go to.
  void advance(const BlockState& state) {
    literals_ = step(literals_, state.literal_lengths.cells);
    matches_ = step(matches_, state.match_lengths.cells);
    offsets_ = step(offsets_, state.offsets.cells);
  }

  bool overrun() const { return bits_.bits_left() < 0; }
  bool exhausted() const { return bits_.bits_left() == 0; }
  void save(BlockState* state) const { std::memcpy(state->repeats, repeats_, sizeof repeats_); }

 private:
  const SequenceCell* step(const SequenceCell* cell, const SequenceCell* table) {
    return table + cell->next + bits_.read(cell->state_bits);
  }

  // Values 1 to 3 name one of the last three offsets (RFC 8878, 3.1.1.5); zero is corrupt.
  uint32_t resolve(uint32_t value, bool no_literals) {
    if (value > 3) return push(value - 3);
    const uint32_t index = value - 1 + no_literals;
    if (index == 0) return repeats_[0];
    const uint32_t offset = index == 3 ? repeats_[0] - 1 : repeats_[index];
    if (index > 1) repeats_[2] = repeats_[1];
    repeats_[1] = repeats_[0];
    return repeats_[0] = offset;
  }

  uint32_t push(uint32_t offset) {
    repeats_[2] = repeats_[1];
    repeats_[1] = repeats_[0];
    return repeats_[0] = offset;
  }

  BackwardBits bits_;
  const SequenceCell* literals_;
  const SequenceCell* offsets_;
  const SequenceCell* matches_;
  uint32_t repeats_[3];
};

// Literals, then the match. `literals` lies in a buffer with kCopySlack behind its end.
inline bool execute(const Sequence& s, const uint8_t* literals, size_t literals_left, Output* out) {
  if (s.literals > literals_left || s.literals + s.match > out->room()) return false;
  copy_strides(out->at, literals, s.literals);
  out->at += s.literals;
  if (s.offset == 0 || s.offset > static_cast<size_t>(out->at - out->start)) return false;
  copy_match(out->at, s.offset, s.match);
  out->at += s.match;
  return true;
}

}  // namespace

bool run_sequences(Bytes source, size_t count, BlockState* state, Output* out) {
  const uint8_t* literals = state->literals;
  size_t left = state->literal_count;
  if (count > 0) {
    SequenceReader reader(*state);
    if (!reader.init(source, *state)) return false;
    for (size_t i = 0; i < count; ++i) {
      const Sequence s = reader.next();
      if (i + 1 < count) reader.advance(*state);
      if (reader.overrun() || !execute(s, literals, left, out)) return false;
      literals += s.literals;
      left -= s.literals;
    }
    if (!reader.exhausted()) return false;
    reader.save(state);
  } else if (source.size != 0) {
    return false;
  }
  if (left > out->room()) return false;
  std::memcpy(out->at, literals, left);
  out->at += left;
  return true;
}

}  // namespace maya::fatbin::zstd
