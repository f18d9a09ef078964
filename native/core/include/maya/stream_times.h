// What a stream has to do in virtual time. All zero in a run with the real clock.
#pragma once

#include <cstdint>
#include <deque>

namespace maya {

struct StreamTimes {
  int64_t free_ns = 0;            // when all that it was given is done
  int64_t next_work_ns = 0;       // and when the next kernel may start
  bool behind_event = false;      // the last that it was given is an event
  std::deque<int64_t> starts_ns;  // of the launches that the queue holds
};

}  // namespace maya
