// What every NCCL function needs: failing with a reason, finding its communicator, the second name.
#pragma once

#include "constants.h"
#include "gen/nccl.h"
#include "maya/exchange.h"
#include "maya/record.h"

// NCCL exports each function a second time for profilers that wrap the first.
#define MAYA_PROFILING_NAME(name) \
  extern "C" __typeof__(name) p##name __attribute__((visibility("default"), alias(#name)))

namespace maya::nccl {

// Keeps the text for ncclGetLastError; returns `result`. Inside a group, the group fails as well.
int fail(int result, const char* format, ...) __attribute__((format(printf, 2, 3)));

// The communicator, if it may be used for `function`; else null with the failure told.
CommunicatorRef usable(const void* handle, const char* function, int* result);

uint64_t hash_unique_id(const void* id);

// Runs the task's rounds now, or at the end of the thread's group.
int do_or_queue(std::unique_ptr<GroupTask> task);

// Peers may have written into the windows of this communicator.
void forget_windows(const void* comm);

}  // namespace maya::nccl
