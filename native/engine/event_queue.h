// Events in order of time, then of their making: the order is total, so a run is repeatable.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pages.h"

namespace maya::engine {

enum class EventKind : uint32_t { work_start, work_end, arrival, transfer_end, receipt_end };

struct Event {
  int64_t time_ns;
  uint64_t order;
  EventKind kind;
  int32_t who;
  uint32_t version;
};

class EventQueue {
 public:
  void push(int64_t time_ns, EventKind kind, int32_t who, uint32_t version) {
    heap_.push_back({time_ns, next_++, kind, who, version});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Event event = heap_.back();
    heap_.pop_back();
    return event;
  }

  bool empty() const { return heap_.empty(); }

 private:
  static bool later(const Event& a, const Event& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.order > b.order;
  }

  Vector<Event> heap_;
  uint64_t next_ = 0;
};

}  // namespace maya::engine
