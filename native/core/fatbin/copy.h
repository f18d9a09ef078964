// The copies that LZ decoders spend their time in.
#pragma once

#include "bytes.h"

namespace maya::fatbin {

// Copies whole strides, so up to 15 bytes more than asked: both sides need that room.
inline void copy_strides(uint8_t* to, const uint8_t* from, size_t length) {
  uint8_t* const end = to + length;
  do {
    std::memcpy(to, from, 16);
    to += 16;
    from += 16;
  } while (to < end);
}

// Copies from `offset` bytes back in the output, where source and target may overlap: with an
// offset below the length the bytes repeat. `to` needs kCopySlack behind it.
inline void copy_match(uint8_t* to, size_t offset, size_t length) {
  const uint8_t* from = to - offset;
  if (offset >= 16) return copy_strides(to, from, length);
  if (offset == 1) {
    std::memset(to, *from, length);
    return;
  }
  uint8_t* const end = to + length;
  // A stride of 8 is safe once the pattern has been laid out far enough to lie 8 bytes back.
  while (static_cast<size_t>(to - from) < 8 && to < end) {
    const size_t period = static_cast<size_t>(to - from);
    for (size_t i = 0; i < period; ++i) to[i] = from[i];
    to += period;
  }
  for (; to < end; to += 8, from += 8) std::memcpy(to, from, 8);
}

}  // namespace maya::fatbin
