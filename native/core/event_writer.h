// Events of a capture: what happened, in the order in which it did.
#pragma once

#include <cstdint>

#include "capture_file.h"

namespace maya {

struct EventRecord {
  uint32_t definition;
  uint16_t thread;
  uint16_t stream;
  uint64_t start_ns;
  uint32_t cpu_ns;
  uint32_t call_ns;
  uint64_t a;
  uint64_t b;
};
static_assert(sizeof(EventRecord) == 40, "the event's size is part of the format");

inline uint32_t saturate(uint64_t value) {
  return value > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(value);
}

class EventWriter {
 public:
  explicit EventWriter(CaptureFile& file) : file_(file) {}

  // Space for another event, all zero; nullptr when the file cannot grow. Its definition is to be stored
  // last, by `finish`: a reader of a capture cut off before sees either the whole event or none.
  EventRecord* next() {
    if (used_ == kEventsPerBlock && !add_block()) return nullptr;
    return block_ + used_++;
  }
  static void finish(EventRecord& event, uint32_t definition) {
    __atomic_store_n(&event.definition, definition, __ATOMIC_RELEASE);
  }

 private:
  static constexpr uint32_t kEventsPerBlock = 256;

  bool add_block() {
    block_ = reinterpret_cast<EventRecord*>(
        file_.append(BlockType::events, kEventsPerBlock * sizeof(EventRecord)));
    if (!block_) return false;
    used_ = 0;
    file_.publish();  // empty: each event tells by itself whether it is there
    return true;
  }

  CaptureFile& file_;
  EventRecord* block_ = nullptr;
  uint32_t used_ = kEventsPerBlock;
};

}  // namespace maya
