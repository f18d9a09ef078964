#include "support.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace maya::nccl {
namespace {

std::mutex last_error_lock;
char last_error[1024];

}  // namespace

int fail(int result, const char* format, ...) {
  char text[sizeof last_error];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  {
    std::lock_guard<std::mutex> guard(last_error_lock);
    std::snprintf(last_error, sizeof last_error, "%s", text);
  }
  Group& group = this_threads_group();
  if (group.depth > 0 && group.error == kSuccess) group.error = result;
  return result;
}

CommunicatorRef usable(const void* handle, const char* function, int* result) {
  CommunicatorRef comm = find_communicator(handle);
  if (!comm) {
    *result =
        fail(kInvalidArgument, "%s : comm argument is %s", function, handle ? "no communicator" : "NULL");
  } else if (comm->finalized) {
    *result = fail(kInvalidArgument, "%s : communicator was finalized", function);
    comm = nullptr;
  } else if (comm->revoked || comm->suspended) {
    *result =
        fail(kInvalidUsage, "%s : communicator is %s", function, comm->revoked ? "revoked" : "suspended");
    comm = nullptr;
  }
  return comm;
}

uint64_t hash_unique_id(const void* id) {
  return communicator_id(id, kUniqueIdBytes);
}

}  // namespace maya::nccl

extern "C" {

const char* ncclGetLastError(void*) {
  return maya::nccl::last_error;
}
MAYA_PROFILING_NAME(ncclGetLastError);

const char* ncclGetErrorString(int result) {
  switch (result) {
    case 0:
      return "no error";
    case 1:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case 2:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case 3:
      return "internal error - please report this issue to the NCCL developers";
    case 4:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case 5:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case 6:
      return "remote process exited or there was a network error";
    case 7:
      return "NCCL operation in progress";
    case 8:
      return "NCCL operation timed out";
    default:
      return "unknown result code";
  }
}
MAYA_PROFILING_NAME(ncclGetErrorString);

int ncclGetVersion(int* version) {
  if (!version)
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "GetVersion : version argument is NULL");
  *version = maya::nccl::kVersion;
  return maya::nccl::kSuccess;
}
MAYA_PROFILING_NAME(ncclGetVersion);

// Logging is chosen by Maya's own options.
void ncclResetDebugInit() {}
MAYA_PROFILING_NAME(ncclResetDebugInit);

}  // extern "C"
