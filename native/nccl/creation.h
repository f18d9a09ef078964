// How communicators come into being.
#pragma once

#include "support.h"

namespace maya::nccl {

// Checks what may be wrong in a config; `comm` takes its name from it. Null is fine.
int apply_config(const void* config, Communicator* comm);

// Where a new communicator comes from, for the record.
struct Origin {
  const char* how;      // init, split, shrink, grow
  uint64_t parent = 0;  // number of the parent communicator
  int colour = 0;
};

// Joins `comm` under `id` in the rounds of a group; on failure `*handle` becomes null.
class JoinTask : public GroupTask {
 public:
  JoinTask(void** handle, CommunicatorRef comm, Origin origin)
      : handle_(handle), comm_(comm), origin_(origin) {}
  JoinTask(void** handle, CommunicatorRef comm, Origin origin, uint64_t id, int rank, int nranks)
      : handle_(handle), comm_(comm), origin_(origin), id_(id), rank_(rank), nranks_(nranks), placed_(true) {}
  int post() override { return placed_ ? start() : kSuccess; }
  int finish() override;

 protected:
  void place(uint64_t id, int rank, int nranks);
  int start();
  int abandon(int result);

  void** handle_;
  CommunicatorRef comm_;
  Origin origin_;

 private:
  uint64_t id_ = 0;
  int rank_ = 0;
  int nranks_ = 0;
  bool placed_ = false;
  bool started_ = false;
};

}  // namespace maya::nccl
