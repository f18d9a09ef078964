#include "deflate.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace maya {
namespace {

constexpr size_t kShortest = 4;  // of a repetition worth naming; deflate allows 3
constexpr size_t kLongest = 258;
constexpr size_t kWindow = 32768;
constexpr unsigned kHashBits = 14;
constexpr unsigned kFewHashBits =
    8;  // for texts of a few hundred bytes: tables cost more than they save there
constexpr size_t kShortText = 1024;
constexpr unsigned kEndOfBlock = 256;
constexpr unsigned kFirstLength = 257;

class BitWriter {
 public:
  void put(uint32_t value, unsigned bits) {  // lowest bit first
    pending_ |= static_cast<uint64_t>(value) << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, pending_ >>= 8) {
      bytes_.push_back(static_cast<char>(pending_ & 0xff));
    }
  }
  void put_code(uint32_t code, unsigned bits) {  // Huffman codes stand with their highest bit first
    uint32_t reversed = 0;
    for (unsigned i = 0; i < bits; ++i) reversed |= ((code >> i) & 1) << (bits - 1 - i);
    put(reversed, bits);
  }
  std::vector<char> finish() {
    if (count_) put(0, 8 - count_);
    return std::move(bytes_);
  }

 private:
  std::vector<char> bytes_;
  uint64_t pending_ = 0;
  unsigned count_ = 0;
};

void put_symbol(BitWriter& out, unsigned symbol) {
  if (symbol < 144) return out.put_code(0x30 + symbol, 8);
  if (symbol < 256) return out.put_code(0x190 + symbol - 144, 9);
  if (symbol < 280) return out.put_code(symbol - 256, 7);
  out.put_code(0xc0 + symbol - 280, 8);
}

// Lengths and distances come in ranges that double in width after every `steps` codes.
struct Range {
  unsigned code;
  unsigned extra_bits;
  size_t base;
};

Range range_of(size_t value, unsigned steps, unsigned equal_codes) {
  Range range{0, 0, 0};
  for (;; ++range.code) {
    if (range.code >= equal_codes) range.extra_bits = (range.code - equal_codes) / steps + 1;
    size_t next = range.base + (size_t{1} << range.extra_bits);
    if (value < next) return range;
    range.base = next;
  }
}

void put_repetition(BitWriter& out, size_t length, size_t distance) {
  if (length == kLongest) {
    put_symbol(out, 285);
  } else {
    Range range = range_of(length - 3, 4, 8);
    put_symbol(out, kFirstLength + range.code);
    out.put(static_cast<uint32_t>(length - 3 - range.base), range.extra_bits);
  }
  Range range = range_of(distance - 1, 2, 4);
  out.put_code(range.code, 5);
  out.put(static_cast<uint32_t>(distance - 1 - range.base), range.extra_bits);
}

uint32_t hash_at(const char* at, unsigned bits) {
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return (word * 2654435761u) >> (32 - bits);
}

size_t matching(const char* a, const char* b, size_t most) {
  size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

struct Match {
  size_t length = 0;
  size_t distance = 0;
};

// Finds the longest earlier text that goes on like the text here, among the latest few with the same hash.
class Finder {
 public:
  Finder(const char* data, size_t bytes)
      : data_(data),
        bytes_(bytes),
        hash_bits_(bytes <= kShortText ? kFewHashBits : kHashBits),
        window_(std::min(kWindow, bytes + 1)),
        last_(size_t{1} << hash_bits_, 0),
        before_(window_, 0) {}

  Match longest_at(size_t at) const {
    Match best;
    if (at + kShortest > bytes_) return best;
    size_t candidate = last_[hash_at(data_ + at, hash_bits_)];
    for (int tried = 0; tried < kMostTries && candidate && at + 1 - candidate <= window_; ++tried) {
      size_t length = matching(data_ + candidate - 1, data_ + at, std::min(kLongest, bytes_ - at));
      if (length > best.length) best = {length, at + 1 - candidate};
      size_t earlier = before_[candidate % window_];
      if (earlier >= candidate) break;  // its place was taken since
      candidate = earlier;
    }
    return best.length >= kShortest ? best : Match{};
  }

  void add(size_t at) {
    if (at + kShortest > bytes_) return;
    size_t& last = last_[hash_at(data_ + at, hash_bits_)];
    before_[(at + 1) % window_] = last;
    last = at + 1;
  }

 private:
  static constexpr int kMostTries = 32;
  const char* data_;
  size_t bytes_;
  unsigned hash_bits_;
  size_t window_;
  std::vector<size_t> last_;    // place of the last text with this hash, from 1
  std::vector<size_t> before_;  // and of the one before each, by its place
};

}  // namespace

std::vector<char> deflate(const char* data, size_t bytes) {
  BitWriter out;
  out.put(1, 1);  // the last block
  out.put(1, 2);  // with the fixed codes
  Finder finder(data, bytes);
  for (size_t at = 0; at < bytes;) {
    Match match = finder.longest_at(at);
    size_t end = at + std::max<size_t>(match.length, 1);
    if (match.length) {
      put_repetition(out, match.length, match.distance);
    } else {
      put_symbol(out, static_cast<unsigned char>(data[at]));
    }
    for (; at < end; ++at) finder.add(at);
  }
  put_symbol(out, kEndOfBlock);
  return out.finish();
}

}  // namespace maya
