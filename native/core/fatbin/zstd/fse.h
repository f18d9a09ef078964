// Finite state entropy tables (RFC 8878, 4.1).
#pragma once

#include "bits.h"

namespace maya::fatbin::zstd {

constexpr unsigned kMaxFseLog = 9;
constexpr size_t kMaxFseSymbols = 256;

// How often each symbol occurs among 1 << log states; -1 is "less than once", given one state.
struct Distribution {
  int16_t count[kMaxFseSymbols];
  unsigned symbols = 0;
  unsigned log = 0;
};

struct FseCell {
  uint16_t base;  // the next state is base + the next `bits` bits
  uint8_t bits;
  uint8_t symbol;
};

// Reads a distribution at the start of `source`; its length goes to `used`.
bool read_distribution(Bytes source, unsigned max_symbols, unsigned max_log, Distribution* out, size_t* used);

// Fills 1 << log cells.
bool build_fse_cells(const Distribution& distribution, FseCell* cells);

}  // namespace maya::fatbin::zstd
