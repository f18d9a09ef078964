// Finds jobs in which every rank is inside a call that only another rank can end.
#pragma once

#include <string>

namespace maya {

// While it lives, only another rank can end the call that this thread is in; `what` says which.
class Waiting {
 public:
  explicit Waiting(const std::string& what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
};

// A thread that ends the job once every rank has been found to wait for 10 s (MAYA_STALL_SECONDS). Each rank
// has one, because a process knows its own threads best: together they prove the cycle.
void watch_for_stall();

}  // namespace maya

// For the code inside Python, whose waits for other ranks are its own.
extern "C" __attribute__((visibility("default"))) void maya_rank_wait_begins(const char* what);
extern "C" __attribute__((visibility("default"))) void maya_rank_wait_ends();
