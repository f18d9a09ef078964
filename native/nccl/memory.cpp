// Memory from NCCL, registered buffers and windows: bookkeeping, no device work.
#include "maya/memory.h"

#include "maya/device.h"
#include "maya/handles.h"
#include "maya/values.h"
#include "support.h"
#include "windows.h"

namespace maya::nccl {
namespace {

int close_handle(void* handle, int type, const char* function) {
  if (!find_handle(handle, Library::nccl, type))
    return fail(kInvalidArgument, "%s : unknown handle", function);
  destroy_handle(handle, Library::nccl);
  return kSuccess;
}

}  // namespace

Handle* find_window(void* window) {
  return find_handle(window, Library::nccl, kWindow);
}

void forget_windows(const void* comm) {
  for (Handle* window : all_handles(Library::nccl, kWindow)) {
    Window facts = get<Window>(*window, kWindowFacts);
    if (facts.comm == comm) forget(facts.base);
  }
}

}  // namespace maya::nccl

using namespace maya::nccl;

extern "C" {

int ncclMemAlloc(void** ptr, size_t size) {
  maya::Call entered;
  if (!ptr || size == 0) return fail(kInvalidArgument, "MemAlloc : invalid argument");
  size_t bytes = (size + kAllocationGranularity - 1) / kAllocationGranularity * kAllocationGranularity;
  maya::ensure_context(maya::current_device());
  *ptr = maya::allocate(maya::current_device(), bytes);
  return *ptr ? kSuccess : fail(kUnhandledCudaError, "Cuda failure 2 'out of memory'");
}
MAYA_PROFILING_NAME(ncclMemAlloc);

int ncclMemFree(void* ptr) {
  maya::Call entered;
  if (!ptr) return kSuccess;
  return maya::deallocate(ptr) ? kSuccess : fail(kInvalidUsage, "MemFree : not memory of ncclMemAlloc");
}
MAYA_PROFILING_NAME(ncclMemFree);

int ncclCommRegister(void* comm, void* buff, size_t size, void** handle) {
  int result = kSuccess;
  if (!usable(comm, "CommRegister", &result)) return result;
  if (!buff || !size || !handle) return fail(kInvalidArgument, "CommRegister : invalid argument");
  *handle = maya::create_handle(maya::Library::nccl, kRegistration);
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommRegister);

int ncclCommDeregister(void* comm, void* handle) {
  if (!maya::find_communicator(comm)) return fail(kInvalidArgument, "CommDeregister : no communicator");
  return close_handle(handle, kRegistration, "CommDeregister");
}
MAYA_PROFILING_NAME(ncclCommDeregister);

int ncclCommWindowRegister(void* comm, void* buff, size_t size, void** win, int winFlags) {
  maya::Call entered;
  int result = kSuccess;
  maya::CommunicatorRef found = usable(comm, "CommWindowRegister", &result);
  if (!found) return result;
  if (!buff || !size || !win) return fail(kInvalidArgument, "CommWindowRegister : invalid argument");
  maya::Handle* window = maya::create_handle(maya::Library::nccl, kWindow);
  size_t span = (size + kAllocationGranularity - 1) / kAllocationGranularity * kAllocationGranularity;
  // Where peers' copies of the buffer would be mapped: addresses only, nobody reads them here.
  void* peers = maya::reserve_addresses(span * static_cast<size_t>(found->nranks), kAllocationGranularity);
  maya::set(*window, kWindowFacts,
            Window{comm, buff, size, span, peers, found->rank, found->nranks, winFlags});
  *win = window;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclCommWindowRegister);

int ncclCommWindowDeregister(void* comm, void* win) {
  maya::Call entered;
  if (!maya::find_communicator(comm)) return fail(kInvalidArgument, "CommWindowDeregister : no communicator");
  maya::Handle* window = find_window(win);
  if (!window) return fail(kInvalidArgument, "CommWindowDeregister : unknown window");
  Window facts = maya::get<Window>(*window, kWindowFacts);
  if (facts.peers) maya::release_addresses(facts.peers, facts.span * static_cast<size_t>(facts.nranks));
  return close_handle(win, kWindow, "CommWindowDeregister");
}
MAYA_PROFILING_NAME(ncclCommWindowDeregister);

int ncclWinGetUserPtr(void* comm, void* win, void** outUserPtr) {
  maya::Handle* window = find_window(win);
  if (!maya::find_communicator(comm) || !window || !outUserPtr) {
    return fail(kInvalidArgument, "WinGetUserPtr : invalid argument");
  }
  *outUserPtr = maya::get<Window>(*window, kWindowFacts).base;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclWinGetUserPtr);

}  // extern "C"
