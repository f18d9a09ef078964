// The two directions in which Zstandard reads bits.
#pragma once

#include <algorithm>

#include "../bytes.h"

namespace maya::fatbin::zstd {

inline unsigned highest_bit(uint32_t value) {
  return 31u - static_cast<unsigned>(__builtin_clz(value));
}

// From the first byte on, lowest bits first; used for the small headers of entropy tables only.
class ForwardBits {
 public:
  explicit ForwardBits(Bytes source) : source_(source) {}

  // Up to 16 bits; zeros behind the end, which used() then shows.
  uint32_t peek(unsigned count) const {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t byte = position_ / 8 + i;
      if (byte < source_.size) word |= uint32_t{source_.data[byte]} << (8 * i);
    }
    return (word >> (position_ % 8)) & ((1u << count) - 1);
  }

  void skip(unsigned count) { position_ += count; }

  uint32_t read(unsigned count) {
    const uint32_t value = peek(count);
    skip(count);
    return value;
  }

  size_t used_bytes() const { return (position_ + 7) / 8; }
  bool overrun() const { return used_bytes() > source_.size; }

 private:
  Bytes source_;
  size_t position_ = 0;
};

// From the last byte back, highest bits first. The topmost set bit of the last byte marks the end
// of the padding. After refill() at least 57 bits can be read without another, or all that are left.
class BackwardBits {
 public:
  bool init(Bytes source) {
    if (source.size == 0 || source.data[source.size - 1] == 0) return false;
    begin_ = source.data;
    const unsigned padding = 8 - highest_bit(source.data[source.size - 1]);
    if (source.size >= 8) {
      at_ = source.data + source.size - 8;
      word_ = load<uint64_t>(at_);
      used_ = padding;
      return true;
    }
    at_ = begin_;
    word_ = 0;
    std::memcpy(&word_, source.data, source.size);
    used_ = padding + 8 * static_cast<unsigned>(8 - source.size);
    return true;
  }

  uint64_t peek(unsigned count) const {
    // Two shifts, because a shift by 64 for a count of zero is undefined.
    return word_ << (used_ & 63) >> 1 >> (63 - count);
  }

  void skip(unsigned count) { used_ += count; }

  uint64_t read(unsigned count) {
    const uint64_t value = peek(count);
    skip(count);
    return value;
  }

  void refill() {
    if (at_ == begin_) return;
    const size_t bytes = std::min<size_t>(used_ / 8, static_cast<size_t>(at_ - begin_));
    at_ -= bytes;
    used_ -= 8 * static_cast<unsigned>(bytes);
    word_ = load<uint64_t>(at_);
  }

  // The same without the check for the beginning; only while has_room().
  void refill_fast() {
    at_ -= used_ / 8;
    used_ &= 7;
    word_ = load<uint64_t>(at_);
  }

  bool has_room() const { return at_ - begin_ >= 8; }

  // Negative once more was read than there was.
  ptrdiff_t bits_left() const { return (at_ - begin_) * 8 + 64 - static_cast<ptrdiff_t>(used_); }

 private:
  const uint8_t* begin_ = nullptr;
  const uint8_t* at_ = nullptr;
  uint64_t word_ = 0;
  unsigned used_ = 0;
};

}  // namespace maya::fatbin::zstd
