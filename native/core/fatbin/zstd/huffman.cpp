#include "huffman.h"

namespace maya::fatbin::zstd {
namespace {

constexpr size_t kStreams = 4;
// As many codes of the greatest length as one refill of 57 bits holds.
constexpr size_t kPerRefill = 57 / kMaxHuffmanBits;

struct Stream {
  BackwardBits bits;
  uint8_t* out = nullptr;
  uint8_t* end = nullptr;

  void decode_one(const HuffmanTable& table) {
    const HuffmanTable::Cell cell = table.cells[bits.peek(table.bits)];
    bits.skip(cell.bits);
    *out++ = cell.symbol;
  }

  bool can_hurry() const { return bits.has_room() && static_cast<size_t>(end - out) >= kPerRefill; }

  bool finish(const HuffmanTable& table) {
    while (out < end) {
      bits.refill();
      if (bits.bits_left() <= 0) return false;
      for (size_t i = 0; i < kPerRefill && out < end; ++i) decode_one(table);
    }
    return bits.bits_left() == 0;
  }
};

// Four streams at once: their table look-ups do not wait for each other.
void hurry(const HuffmanTable& table, Stream* streams) {
  Stream a = streams[0], b = streams[1], c = streams[2], d = streams[3];
  while (a.can_hurry() && b.can_hurry() && c.can_hurry() && d.can_hurry()) {
    a.bits.refill_fast();
    b.bits.refill_fast();
    c.bits.refill_fast();
    d.bits.refill_fast();
    for (size_t i = 0; i < kPerRefill; ++i) {
      a.decode_one(table);
      b.decode_one(table);
      c.decode_one(table);
      d.decode_one(table);
    }
  }
  streams[0] = a;
  streams[1] = b;
  streams[2] = c;
  streams[3] = d;
}

}  // namespace

bool huffman_decode_1(const HuffmanTable& table, Bytes source, uint8_t* out, size_t size) {
  Stream stream;
  stream.out = out;
  stream.end = out + size;
  return stream.bits.init(source) && stream.finish(table);
}

bool huffman_decode_4(const HuffmanTable& table, Bytes source, uint8_t* out, size_t size) {
  const size_t quarter = (size + 3) / 4;
  if (source.size < 6 || quarter * 3 > size) return false;
  Stream streams[kStreams];
  size_t offset = 6;
  for (size_t i = 0; i < kStreams; ++i) {
    const bool last = i + 1 == kStreams;
    const size_t length = last ? source.size - offset : size_t{load<uint16_t>(source.data + 2 * i)};
    if (!source.contains(offset, length)) return false;
    if (!streams[i].bits.init(source.sub(offset, length))) return false;
    streams[i].out = out + i * quarter;
    streams[i].end = last ? out + size : streams[i].out + quarter;
    offset += length;
  }
  hurry(table, streams);
  for (Stream& stream : streams) {
    if (!stream.finish(table)) return false;
  }
  return true;
}

}  // namespace maya::fatbin::zstd
