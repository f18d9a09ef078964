#include "block.h"

namespace maya::fatbin::zstd {
namespace {

enum LiteralsType : unsigned { kRaw = 0, kRle = 1, kCompressed = 2, kTreeless = 3 };

struct LiteralsHeader {
  unsigned type = 0;
  bool four_streams = false;
  size_t header = 0;
  size_t regenerated = 0;
  size_t compressed = 0;
};

uint64_t load_up_to_5(Bytes source) {
  uint64_t word = 0;
  std::memcpy(&word, source.data, std::min<size_t>(source.size, 5));
  return word;
}

// Two bits of type, two of size format, then sizes of 5, 12 or 20 bits.
LiteralsHeader plain_header(uint64_t word) {
  LiteralsHeader h;
  const unsigned format = word >> 2 & 3;
  h.header = format == 1 ? 2 : format == 3 ? 3 : 1;
  h.regenerated = h.header == 1 ? word >> 3 & 0x1f : word >> 4 & (h.header == 2 ? 0xfff : 0xfffff);
  return h;
}

// Two bits of type, two of size format, then two sizes of 10, 14 or 18 bits each.
LiteralsHeader packed_header(uint64_t word) {
  LiteralsHeader h;
  const unsigned format = word >> 2 & 3;
  const unsigned width = format < 2 ? 10 : format == 2 ? 14 : 18;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  h.four_streams = format != 0;
  h.header = (4 + 2 * width) / 8;
  h.regenerated = word >> 4 & mask;
  h.compressed = word >> (4 + width) & mask;
  return h;
}

bool read_packed(Bytes source, const LiteralsHeader& h, BlockState* state) {
  size_t tree = 0;
  if (h.type == kCompressed && !read_huffman_table(source, &state->huffman, &tree)) return false;
  if (state->huffman.bits == 0) return false;
  const auto decode = h.four_streams ? huffman_decode_4 : huffman_decode_1;
  return decode(state->huffman, source.from(tree), state->literals, h.regenerated);
}

}  // namespace

bool read_literals(Bytes source, BlockState* state, size_t* used) {
  if (source.size == 0) return false;
  const uint64_t word = load_up_to_5(source);
  const unsigned type = word & 3;
  LiteralsHeader h = type <= kRle ? plain_header(word) : packed_header(word);
  h.type = type;
  if (h.regenerated > kMaxBlock) return false;
  const size_t length = type == kRaw ? h.regenerated : type == kRle ? 1 : h.compressed;
  if (!source.contains(h.header, length)) return false;
  const Bytes body = source.sub(h.header, length);
  if (type == kRaw) std::memcpy(state->literals, body.data, h.regenerated);
  if (type == kRle) std::memset(state->literals, body.data[0], h.regenerated);
  if (type >= kCompressed && !read_packed(body, h, state)) return false;
  state->literal_count = h.regenerated;
  *used = h.header + length;
  return true;
}

}  // namespace maya::fatbin::zstd
