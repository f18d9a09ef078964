#include "lz4.h"

#include "copy.h"

namespace maya::fatbin {
namespace {

constexpr size_t kMinMatch = 4;

class Lz4Decoder {
 public:
  Lz4Decoder(Bytes source, uint8_t* out, size_t size)
      : at_(source.data), end_(source.data + source.size), start_(out), out_(out), room_(size) {}

  bool run() {
    while (at_ < end_) {
      const unsigned token = *at_++;
      if (!literals(token >> 4)) return false;
      if (at_ == end_) return room_ == 0;  // a block ends with literals
      if (!match(token & 15)) return false;
    }
    return false;
  }

 private:
  // A nibble of 15 continues in bytes, of which 255 means that another follows.
  bool length(size_t* value) {
    if (*value != 15) return true;
    uint8_t byte = 255;
    while (byte == 255) {
      if (at_ == end_) return false;
      byte = *at_++;
      *value += byte;
    }
    return true;
  }

  bool literals(size_t count) {
    if (!length(&count)) return false;
    const size_t left = static_cast<size_t>(end_ - at_);
    if (count > left || count > room_) return false;
    if (left - count >= kCopySlack) {
      copy_strides(out_, at_, count);
    } else if (count > 0) {
      std::memcpy(out_, at_, count);
    }
    at_ += count;
    advance(count);
    return true;
  }

  bool match(size_t count) {
    if (end_ - at_ < 2) return false;
    const size_t offset = load<uint16_t>(at_);
    at_ += 2;
    if (!length(&count)) return false;
    count += kMinMatch;
    if (offset == 0 || offset > static_cast<size_t>(out_ - start_) || count > room_) return false;
    copy_match(out_, offset, count);
    advance(count);
    return true;
  }

  void advance(size_t count) {
    out_ += count;
    room_ -= count;
  }

  const uint8_t* at_;
  const uint8_t* const end_;
  uint8_t* const start_;
  uint8_t* out_;
  size_t room_;
};

}  // namespace

bool lz4_decode(Bytes source, uint8_t* out, size_t size) {
  return Lz4Decoder(source, out, size).run();
}

}  // namespace maya::fatbin
