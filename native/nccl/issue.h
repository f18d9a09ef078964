// Collectives on their way from the call to the record and the exchange.
#pragma once

#include <vector>

#include "support.h"

namespace maya::nccl {

// A collective's fixed facts and how its call is recorded: comm, count, datatype, [op], [root | peer], rank,
// nranks.
struct CollectiveForm {
  Collective what;
  bool reduces;
  bool rooted;
  Schema* schema;
};

struct CollectiveCall {
  const void* input;
  void* output;
  size_t count;
  int type;
  int op;
  int root;
  void* comm;
  void* stream;
};

// Checks, then issues at once or at the end of the thread's group.
int collective(const CollectiveForm& form, const CollectiveCall& call);

// Records and performs what a thread has asked for since its outermost group began.
void issue(const std::vector<QueuedCollective>& queued, uint64_t group_number);

}  // namespace maya::nccl
