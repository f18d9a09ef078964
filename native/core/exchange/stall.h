// Finds jobs in which every process waits for another.
#pragma once

#include <string>

namespace maya {

// While it lives, this process waits for others; `what` says in which call.
class Waiting {
 public:
  explicit Waiting(const std::string& what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  // Call from time to time: ends the job when all its processes have been waiting for several seconds.
  void check();
};

}  // namespace maya
