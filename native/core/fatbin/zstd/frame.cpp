#include <memory>
#include <new>

#include "block.h"
#include "decode.h"

namespace maya::fatbin {
namespace zstd {

void BlockState::reset() {
  huffman.bits = 0;
  literal_lengths.valid = offsets.valid = match_lengths.valid = false;
  repeats[0] = 1;
  repeats[1] = 4;
  repeats[2] = 8;
  literal_count = 0;
}

namespace {

constexpr uint32_t kMagic = 0xfd2fb528;
constexpr uint32_t kSkippableMagic = 0x184d2a50;  // and the 15 that follow

enum BlockType : unsigned { kRaw = 0, kRle = 1, kCompressed = 2 };

struct FrameHeader {
  size_t length = 0;
  bool checksum = false;
};

// Window and content size are not needed: the caller knows the size, and the window is the output.
bool read_header(Bytes source, FrameHeader* out) {
  constexpr size_t kContentSizeBytes[4] = {0, 2, 4, 8};
  constexpr size_t kDictionaryBytes[4] = {0, 1, 2, 4};
  uint8_t descriptor = 0;
  if (!source.read(4, &descriptor) || (descriptor & 8) != 0) return false;
  const bool single_segment = descriptor & 0x20;
  const size_t dictionary = 5 + (single_segment ? 0 : 1);
  const size_t dictionary_bytes = kDictionaryBytes[descriptor & 3];
  size_t content_bytes = kContentSizeBytes[descriptor >> 6];
  if (content_bytes == 0 && single_segment) content_bytes = 1;
  out->length = dictionary + dictionary_bytes + content_bytes;
  out->checksum = descriptor & 4;
  if (source.size < out->length) return false;
  for (size_t i = 0; i < dictionary_bytes; ++i) {
    if (source.data[dictionary + i] != 0) return false;
  }
  return true;
}

bool compressed_block(Bytes source, BlockState* state, Output* out) {
  size_t used = 0;
  if (source.size > kMaxBlock || !read_literals(source, state, &used)) return false;
  source = source.from(used);
  size_t count = 0;
  if (!read_sequence_tables(source, state, &count, &used)) return false;
  return run_sequences(source.from(used), count, state, out);
}

bool plain_block(unsigned type, Bytes body, size_t size, Output* out) {
  if (size > out->room()) return false;
  if (type == kRaw && size > 0) std::memcpy(out->at, body.data, size);
  if (type == kRle) std::memset(out->at, body.data[0], size);
  out->at += size;
  return true;
}

// Decodes the block at `at`, which moves behind it.
bool read_block(Bytes source, BlockState* state, Output* out, size_t* at, bool* last) {
  if (!source.contains(*at, 3)) return false;
  const uint8_t* h = source.data + *at;
  const uint32_t header = h[0] | uint32_t{h[1]} << 8 | uint32_t{h[2]} << 16;
  *last = header & 1;
  const unsigned type = header >> 1 & 3;
  const size_t size = header >> 3;
  const size_t stored = type == kRle ? 1 : size;
  if (type > kCompressed || !source.contains(*at + 3, stored)) return false;
  const Bytes body = source.sub(*at + 3, stored);
  *at += 3 + stored;
  if (type == kCompressed) return compressed_block(body, state, out);
  return plain_block(type, body, size, out);
}

bool read_frame(Bytes source, BlockState* state, Output* out, size_t* used) {
  FrameHeader header;
  if (!read_header(source, &header)) return false;
  state->reset();
  out->start = out->at;
  size_t at = header.length;
  for (bool last = false; !last;) {
    if (!read_block(source, state, out, &at, &last)) return false;
  }
  *used = at + (header.checksum ? 4 : 0);
  return *used <= source.size;
}

bool skip_frame(Bytes source, size_t* used) {
  uint32_t length = 0;
  if (!source.read(4, &length)) return false;
  *used = size_t{8} + length;
  return *used <= source.size;
}

}  // namespace
}  // namespace zstd

bool zstd_decode(Bytes source, uint8_t* out, size_t size) {
  // On the heap: 180 KB is much for the stack of a thread that the program made.
  std::unique_ptr<zstd::BlockState> state(new (std::nothrow) zstd::BlockState);
  if (!state) return false;
  zstd::Output output{out, out, out + size};
  while (source.size > 0) {
    uint32_t magic = 0;
    size_t used = 0;
    if (!source.read(0, &magic)) return false;
    if ((magic & 0xfffffff0) == zstd::kSkippableMagic) {
      if (!zstd::skip_frame(source, &used)) return false;
    } else if (magic != zstd::kMagic || !zstd::read_frame(source, state.get(), &output, &used)) {
      return false;
    }
    source = source.from(used);
  }
  return output.room() == 0;
}

}  // namespace maya::fatbin
