#include <algorithm>

#include "fse.h"
#include "huffman.h"

namespace maya::fatbin::zstd {
namespace {

constexpr unsigned kMaxWeightLog = 6;
constexpr size_t kMaxWeights = 255;  // the 256th symbol's weight follows from the others

struct Weights {
  uint8_t weight[kMaxWeights + 1];
  size_t count = 0;
};

bool read_direct(Bytes source, size_t count, Weights* out) {
  if (source.size < (count + 1) / 2) return false;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t byte = source.data[i / 2];
    out->weight[i] = i % 2 == 0 ? byte >> 4 : byte & 15;
  }
  out->count = count;
  return true;
}

// Two states take turns. The stream's length gives their number: when an update asks for more bits
// than are left, the other state holds the last symbol.
bool decode_weights(BackwardBits* bits, const FseCell* cells, unsigned log, Weights* out) {
  bits->refill();
  unsigned state[2];
  state[0] = static_cast<unsigned>(bits->read(log));
  state[1] = static_cast<unsigned>(bits->read(log));
  if (bits->bits_left() < 0) return false;
  for (size_t turn = 0;; turn ^= 1) {
    if (out->count + 2 > kMaxWeights) return false;
    bits->refill();
    const FseCell cell = cells[state[turn]];
    out->weight[out->count++] = cell.symbol;
    if (bits->bits_left() < cell.bits) {
      out->weight[out->count++] = cells[state[turn ^ 1]].symbol;
      return true;
    }
    state[turn] = cell.base + static_cast<unsigned>(bits->read(cell.bits));
  }
}

bool read_compressed(Bytes source, Weights* out) {
  Distribution distribution;
  size_t used = 0;
  if (!read_distribution(source, kMaxHuffmanBits + 2, kMaxWeightLog, &distribution, &used)) {
    return false;
  }
  FseCell cells[1 << kMaxWeightLog];
  BackwardBits bits;
  return build_fse_cells(distribution, cells) && bits.init(source.from(used)) &&
         decode_weights(&bits, cells, distribution.log, out);
}

// The last weight fills the code space up to a power of two.
bool complete(Weights* weights, unsigned* table_bits) {
  uint32_t sum = 0;
  for (size_t i = 0; i < weights->count; ++i) {
    if (weights->weight[i] > kMaxHuffmanBits) return false;
    sum += 1u << weights->weight[i] >> 1;
  }
  if (sum == 0) return false;
  *table_bits = highest_bit(sum) + 1;
  if (*table_bits > kMaxHuffmanBits) return false;
  const uint32_t left = (1u << *table_bits) - sum;
  if ((left & (left - 1)) != 0) return false;
  weights->weight[weights->count++] = static_cast<uint8_t>(highest_bit(left) + 1);
  return true;
}

void fill(const Weights& weights, HuffmanTable* table) {
  uint32_t start[kMaxHuffmanBits + 2] = {};
  for (size_t i = 0; i < weights.count; ++i) {
    const unsigned w = weights.weight[i];
    start[w + 1] += 1u << w >> 1;
  }
  for (unsigned w = 1; w <= kMaxHuffmanBits; ++w) start[w] += start[w - 1];
  for (size_t i = 0; i < weights.count; ++i) {
    const unsigned w = weights.weight[i];
    if (w == 0) continue;
    const HuffmanTable::Cell cell{static_cast<uint8_t>(i), static_cast<uint8_t>(table->bits + 1 - w)};
    const uint32_t cells = 1u << (w - 1);
    std::fill_n(table->cells + start[w], cells, cell);
    start[w] += cells;
  }
}

}  // namespace

bool read_huffman_table(Bytes source, HuffmanTable* table, size_t* used) {
  uint8_t header = 0;
  if (!source.read(0, &header)) return false;
  Weights weights;
  const size_t count = header >= 128 ? header - 127u : 0;
  const size_t length = header >= 128 ? (count + 1) / 2 : header;
  if (!source.contains(1, length)) return false;
  const Bytes body = source.sub(1, length);
  if (!(count ? read_direct(body, count, &weights) : read_compressed(body, &weights))) return false;
  unsigned table_bits = 0;
  table->bits = 0;
  if (!complete(&weights, &table_bits)) return false;
  table->bits = table_bits;
  fill(weights, table);
  *used = 1 + length;
  return true;
}

}  // namespace maya::fatbin::zstd
