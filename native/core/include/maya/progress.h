// How far the device has come, as a host can know it.
//
// Nothing runs, but a program that asks must not be told that everything is done at once: PyTorch's allocator
// keeps a block that another stream uses until an event behind that use is complete, and would reuse it too
// early. So work is pending until the host has waited for it, or so much more has been submitted that a
// device would have come past it, or it is asked for again and again while nothing else happens (a program
// that polls must come to an end).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "maya/stream_times.h"

namespace maya {

struct Progress;

struct Polls {
  uint64_t at = 0;  // submissions when last asked
  int repeats = 0;  // how often asked since, with nothing submitted in between
};

// A place in a stream, after everything submitted to it so far.
struct Point {
  std::shared_ptr<Progress> stream;
  uint64_t number = 0;
  Polls polls;
};

struct Wait {
  uint64_t position;  // in the waiting stream
  std::shared_ptr<Progress> on;
  uint64_t number;
};

// Of one stream; outlives it in the events recorded there.
struct Progress {
  explicit Progress(int of_device) : device(of_device) {}
  int device;
  std::atomic<uint64_t> last{0};  // number of the latest submission
  uint64_t completed = 0;         // the host knows that all up to here is done
  std::vector<Wait> waits;        // for other streams, not known to be over
  Polls polls;
  StreamTimes times;
};

void note_submission(Progress& stream);
void note_wait(Progress& waiting, const Point& point);
Point point_at_end(const std::shared_ptr<Progress>& stream);

// The host has waited.
void complete(const Point& point);
void complete_stream(const std::shared_ptr<Progress>& stream);
void complete_device(int device);

// The host asks; true when the work is done.
bool poll(Point& point);
bool poll_stream(Progress& stream);
// Pending on any device: nothing at all was submitted since.
bool surely_pending(const Point& point);

}  // namespace maya
