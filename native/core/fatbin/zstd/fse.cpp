#include "fse.h"

namespace maya::fatbin::zstd {
namespace {

// A count out of 0..remaining+1, in one bit less where that is unambiguous. One is added to it so
// that "less than once" fits below zero.
int read_count(ForwardBits* bits, unsigned remaining) {
  const unsigned width = highest_bit(remaining + 1) + 1;
  const unsigned low_mask = (1u << (width - 1)) - 1;
  const unsigned short_values = (1u << width) - 1 - (remaining + 1);
  unsigned value = bits->peek(width);
  if ((value & low_mask) < short_values) {
    bits->skip(width - 1);
    return static_cast<int>(value & low_mask) - 1;
  }
  bits->skip(width);
  if (value > low_mask) value -= short_values;
  return static_cast<int>(value) - 1;
}

// A count of zero is followed by how many more zeros there are, two bits at a time.
bool read_zeros(ForwardBits* bits, unsigned max_symbols, Distribution* out) {
  unsigned repeat = 3;
  while (repeat == 3) {
    repeat = bits->read(2);
    if (out->symbols + repeat > max_symbols || bits->overrun()) return false;
    for (unsigned i = 0; i < repeat; ++i) out->count[out->symbols++] = 0;
  }
  return true;
}

// Symbols are laid out with a stride that is odd, hence meets every state once.
bool spread_symbols(const Distribution& in, FseCell* cells) {
  const unsigned size = 1u << in.log;
  unsigned high = size;
  for (unsigned s = 0; s < in.symbols; ++s) {
    if (in.count[s] == -1) cells[--high].symbol = static_cast<uint8_t>(s);
  }
  const unsigned step = (size >> 1) + (size >> 3) + 3;
  unsigned position = 0;
  for (unsigned s = 0; s < in.symbols; ++s) {
    for (int i = 0; i < in.count[s]; ++i) {
      cells[position].symbol = static_cast<uint8_t>(s);
      do {
        position = (position + step) & (size - 1);
      } while (position >= high);
    }
  }
  return position == 0;
}

}  // namespace

bool read_distribution(Bytes source, unsigned max_symbols, unsigned max_log, Distribution* out,
                       size_t* used) {
  ForwardBits bits(source);
  out->log = bits.read(4) + 5;
  out->symbols = 0;
  if (out->log > max_log) return false;
  int remaining = 1 << out->log;
  while (remaining > 0) {
    if (out->symbols >= max_symbols || bits.overrun()) return false;
    const int count = read_count(&bits, static_cast<unsigned>(remaining));
    out->count[out->symbols++] = static_cast<int16_t>(count);
    remaining -= count < 0 ? 1 : count;
    if (count == 0 && !read_zeros(&bits, max_symbols, out)) return false;
  }
  *used = bits.used_bytes();
  return remaining == 0 && !bits.overrun();
}

bool build_fse_cells(const Distribution& in, FseCell* cells) {
  if (!spread_symbols(in, cells)) return false;
  uint16_t next[kMaxFseSymbols];
  for (unsigned s = 0; s < in.symbols; ++s) {
    next[s] = static_cast<uint16_t>(in.count[s] == -1 ? 1 : in.count[s]);
  }
  const unsigned size = 1u << in.log;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned state = next[cells[i].symbol]++;
    cells[i].bits = static_cast<uint8_t>(in.log - highest_bit(state));
    cells[i].base = static_cast<uint16_t>((state << cells[i].bits) - size);
  }
  return true;
}

}  // namespace maya::fatbin::zstd
