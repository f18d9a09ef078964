// Do the ranks that are processes call the same collectives in the same order? On real GPUs a job whose ranks
// do not would hang.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "maya/exchange.h"

namespace maya {

class Audit {
 public:
  // Tells the others what this rank calls, and looks at what they have told so far; never waits.
  void call(const Operation& operation, const std::string& site);
  // Looks again.
  void look(const Communicator& comm);

 private:
  struct Called {
    uint64_t signature;
    std::string site;
  };
  bool hear(const Communicator& comm, int place);

  std::mutex lock_;
  uint64_t issued_ = 0;
  std::map<uint64_t, Called> open_;  // own calls that some member has not made yet
  std::vector<uint64_t> agreed_;     // by place: calls of that member before this one agree
};

}  // namespace maya
