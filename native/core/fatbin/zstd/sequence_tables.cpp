#include "block.h"

namespace maya::fatbin::zstd {
namespace {

constexpr unsigned kMaxCodes = 53;

// One of the three kinds of code: extra bits per code, how bases follow, and its default table.
struct CodeKind {
  unsigned codes;
  unsigned max_log;
  unsigned default_log;
  uint32_t first_base;
  const uint8_t* extra_bits;
  const int8_t* default_counts;
  unsigned default_codes;
};

constexpr uint8_t kLiteralBits[36] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  1,  1,
                                      1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr uint8_t kMatchBits[53] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  1,  1,  1, 1,
                                    2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr uint8_t kOffsetBits[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr int8_t kLiteralCounts[36] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                       2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr int8_t kMatchCounts[53] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr int8_t kOffsetCounts[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

constexpr CodeKind kLiteralLengths = {36, 9, 6, 0, kLiteralBits, kLiteralCounts, 36};
constexpr CodeKind kOffsets = {32, 8, 5, 1, kOffsetBits, kOffsetCounts, 29};
constexpr CodeKind kMatchLengths = {53, 9, 6, 3, kMatchBits, kMatchCounts, 53};

// Each code's values begin where the previous code's end.
void fold_in_codes(const CodeKind& kind, const FseCell* cells, SequenceTable* table) {
  uint32_t bases[kMaxCodes];
  uint32_t base = kind.first_base;
  for (unsigned code = 0; code < kind.codes; ++code) {
    bases[code] = base;
    base += 1u << kind.extra_bits[code];
  }
  for (unsigned i = 0; i < 1u << table->log; ++i) {
    const FseCell& cell = cells[i];
    table->cells[i] = {bases[cell.symbol], cell.base, kind.extra_bits[cell.symbol], cell.bits};
  }
  table->valid = true;
}

bool use_distribution(const CodeKind& kind, const Distribution& counts, SequenceTable* table) {
  FseCell cells[1 << kMaxFseLog];
  if (!build_fse_cells(counts, cells)) return false;
  table->log = counts.log;
  fold_in_codes(kind, cells, table);
  return true;
}

bool use_default(const CodeKind& kind, SequenceTable* table) {
  Distribution counts;
  counts.log = kind.default_log;
  counts.symbols = kind.default_codes;
  for (unsigned i = 0; i < counts.symbols; ++i) counts.count[i] = kind.default_counts[i];
  return use_distribution(kind, counts, table);
}

bool use_single(const CodeKind& kind, uint8_t code, SequenceTable* table) {
  if (code >= kind.codes) return false;
  const FseCell cell = {0, 0, code};
  table->log = 0;
  fold_in_codes(kind, &cell, table);
  return true;
}

bool read_table(const CodeKind& kind, unsigned mode, Bytes source, SequenceTable* table, size_t* at) {
  enum Mode : unsigned { kPredefined = 0, kRle = 1, kFse = 2, kRepeat = 3 };
  if (mode == kPredefined) return use_default(kind, table);
  if (mode == kRepeat) return table->valid;
  if (mode == kRle) {
    uint8_t code = 0;
    return source.read((*at)++, &code) && use_single(kind, code, table);
  }
  Distribution counts;
  size_t used = 0;
  if (!read_distribution(source.from(*at), kind.codes, kind.max_log, &counts, &used)) return false;
  *at += used;
  return use_distribution(kind, counts, table);
}

// One to three bytes.
bool read_count(Bytes source, size_t* count, size_t* at) {
  uint8_t b[3] = {};
  if (!source.read(0, &b[0])) return false;
  *at = b[0] < 128 ? 1 : b[0] < 255 ? 2 : 3;
  if (source.size < *at) return false;
  std::memcpy(b, source.data, *at);
  if (b[0] < 128) {
    *count = b[0];
  } else {
    *count = b[0] < 255 ? (b[0] - 128u) * 256u + b[1] : b[1] + b[2] * 256u + 0x7f00u;
  }
  return true;
}

}  // namespace

bool read_sequence_tables(Bytes source, BlockState* state, size_t* count, size_t* used) {
  size_t at = 0;
  if (!read_count(source, count, &at)) return false;
  *used = at;
  if (*count == 0) return true;
  uint8_t modes = 0;
  if (!source.read(at++, &modes) || (modes & 3) != 0) return false;
  const bool ok = read_table(kLiteralLengths, modes >> 6, source, &state->literal_lengths, &at) &&
                  read_table(kOffsets, modes >> 4 & 3, source, &state->offsets, &at) &&
                  read_table(kMatchLengths, modes >> 2 & 3, source, &state->match_lengths, &at);
  *used = at;
  return ok && at <= source.size;
}

}  // namespace maya::fatbin::zstd
