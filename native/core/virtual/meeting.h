// Ranks that come together in virtual time: each tells the others when its stream has come to a collective,
// and knows when they have.
//
// A member that is no process comes when its representative does. One that is gone is not waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../exchange/channel.h"
#include "maya/exchange.h"

namespace maya {

class Meeting {
 public:
  // One call more of a group that is one kernel. A sender that does not wait leaves its message in buffers.
  void with(const Operation& operation, bool sender_waits);
  // All members of a communicator, for a graph in which they meet again and again.
  void with_all(const CommunicatorRef& comm);

  // This rank's stream is there. Tells the others; does not wait.
  void arrive(int64_t at_ns);
  // Whether all others have told; then when the last of them came.
  bool complete() const { return awaited_.empty(); }
  int64_t others_ns() const { return others_ns_; }
  // Waits for word of one of them.
  void listen(uint64_t deadline_ns);

 private:
  struct Letterbox {
    std::shared_ptr<Channel> channel;
    int place;  // whose; -1: everybody's
    Lane lane;
    uint64_t sequence;
  };

  void message(const Operation& operation, bool sender_waits);

  std::vector<Letterbox> told_;
  std::vector<Letterbox> awaited_;
  int64_t others_ns_ = 0;
};

}  // namespace maya
