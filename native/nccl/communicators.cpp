// What can be asked of a communicator, and its end.
#include "maya/library_memory.h"
#include "support.h"

using namespace maya::nccl;

extern "C" {

int ncclCommFinalize(void* comm) {
  maya::Call entered;
  int result = kSuccess;
  maya::CommunicatorRef found = usable(comm, "CommFinalize", &result);
  if (!found) return result;
  found->finalized = true;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommFinalize);

int ncclCommDestroy(void* comm) {
  maya::Call entered;
  if (!comm) return kSuccess;
  if (!maya::close_communicator(comm)) {
    return fail(kInvalidArgument, "CommDestroy : comm argument is no communicator");
  }
  maya::release_connections(comm);
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommDestroy);

int ncclCommAbort(void* comm) {
  return ncclCommDestroy(comm);
}
MAYA_PROFILING_NAME(ncclCommAbort);

int ncclCommRevoke(void* comm, int revokeFlags) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || revokeFlags != 0) return fail(kInvalidArgument, "CommRevoke : invalid argument");
  found->revoked = true;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommRevoke);

int ncclCommSuspend(void* comm, int) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found) return fail(kInvalidArgument, "CommSuspend : comm argument is no communicator");
  if (found->suspended.exchange(true)) return fail(kInvalidUsage, "CommSuspend : already suspended");
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommSuspend);

int ncclCommResume(void* comm) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found) return fail(kInvalidArgument, "CommResume : comm argument is no communicator");
  if (!found->suspended.exchange(false)) return fail(kInvalidUsage, "CommResume : not suspended");
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommResume);

// All that is modelled of NCCL's memory are the buffers of its connections, which can be suspended.
int ncclCommMemStats(void* comm, int stat, uint64_t* value) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || !value || stat < 0 || stat > 3)
    return fail(kInvalidArgument, "CommMemStats : invalid argument");
  enum { kSuspendable, kIsSuspended, kPersistent, kTotal };
  *value = stat == kIsSuspended  ? found->suspended.load()
           : stat == kPersistent ? 0
                                 : maya::connection_bytes(comm);
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommMemStats);

// Work is done when it is asked for, so nothing can fail later.
int ncclCommGetAsyncError(void* comm, int* asyncError) {
  if (!maya::find_communicator(comm) || !asyncError) {
    return fail(kInvalidArgument, "CommGetAsyncError : invalid argument");
  }
  *asyncError = kSuccess;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommGetAsyncError);

int ncclCommCount(void* comm, int* count) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || !count) return fail(kInvalidArgument, "CommCount : invalid argument");
  *count = found->nranks;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommCount);

int ncclCommCuDevice(void* comm, int* device) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || !device) return fail(kInvalidArgument, "CommCuDevice : invalid argument");
  *device = found->device;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommCuDevice);

int ncclCommUserRank(void* comm, int* rank) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || !rank) return fail(kInvalidArgument, "CommUserRank : invalid argument");
  *rank = found->rank;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommUserRank);

}  // extern "C"
