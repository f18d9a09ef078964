// One compressed block: literals, and the sequences that say how to weave them with matches.
#pragma once

#include "fse.h"
#include "huffman.h"

namespace maya::fatbin::zstd {

constexpr size_t kMaxBlock = 128 * 1024;

// A state of one of the three sequence codes, with the code's meaning folded in, so that decoding
// one costs a single look-up.
struct SequenceCell {
  uint32_t base;  // value = base + the next extra_bits bits
  uint16_t next;  // next state = next + the next state_bits bits
  uint8_t extra_bits;
  uint8_t state_bits;
};

struct SequenceTable {
  SequenceCell cells[1 << kMaxFseLog];
  unsigned log = 0;
  bool valid = false;  // whether a block may say "as before"
};

// What carries over from block to block of a frame, and the buffers to work in.
struct BlockState {
  HuffmanTable huffman;
  SequenceTable literal_lengths, offsets, match_lengths;
  uint32_t repeats[3];
  uint8_t literals[kMaxBlock + kCopySlack];
  size_t literal_count;

  void reset();
};

struct Output {
  uint8_t* start;  // of the frame: matches reach back no further
  uint8_t* at;
  uint8_t* end;

  size_t room() const { return static_cast<size_t>(end - at); }
};

bool read_literals(Bytes source, BlockState* state, size_t* used);
bool read_sequence_tables(Bytes source, BlockState* state, size_t* count, size_t* used);
bool run_sequences(Bytes source, size_t count, BlockState* state, Output* out);

}  // namespace maya::fatbin::zstd
