// Memory and events of other processes.
#include <unistd.h>

#include <cstring>

#include "maya/memory.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr uint64_t kMagic = 0x4350494159414d00;
constexpr unsigned kInterprocessEvent = 4;
constexpr unsigned kDisableTiming = 2;

struct Shared {
  uint64_t magic;
  int pid, device;
  uint64_t object;
  size_t bytes;
};
static_assert(sizeof(Shared) <= 64);

template <typename Opaque>
void seal(Opaque* handle, const Shared& shared) {
  memset(handle, 0, sizeof *handle);
  memcpy(handle, &shared, sizeof shared);
}

template <typename Opaque>
Shared unseal(const Opaque& handle) {
  Shared shared;
  memcpy(&shared, &handle, sizeof shared);
  return shared;
}

}  // namespace

extern "C" {

int cuIpcGetMemHandle(void* handle, unsigned long long address) {
  if (int status = require_context()) return status;
  Allocation found;
  if (!handle || !find_allocation(pointer(address), &found)) return kInvalidValue;
  if (found.kind != MemoryKind::device) return kInvalidValue;
  seal(static_cast<maya_abi_CUipcMemHandle*>(handle),
       {kMagic, getpid(), physical_device(found.device), found.address, found.bytes});
  return kSuccess;
}

int cuIpcOpenMemHandle_v2(unsigned long long* address, maya_abi_CUipcMemHandle handle, unsigned int) {
  if (int status = require_context()) return status;
  const Shared shared = unseal(handle);
  if (!address || shared.magic != kMagic) return kInvalidValue;
  if (shared.pid == getpid()) return kInvalidContext;  // a process cannot open its own
  void* opened = open_shared(current_device(), shared.bytes);
  if (!opened) return kOutOfMemory;
  *address = address_of(opened);
  return kSuccess;
}

int cuIpcCloseMemHandle(unsigned long long address) {
  if (int status = require_context()) return status;
  return close_shared(pointer(address)) ? kSuccess : kInvalidValue;
}

int cuIpcGetEventHandle(void* handle, void* event_handle) {
  if (int status = require_context()) return status;
  const Event* event = find_event(event_handle);
  if (!event) return kInvalidHandle;
  if (!handle || !(event->flags & kInterprocessEvent)) return kInvalidValue;
  seal(static_cast<maya_abi_CUipcEventHandle*>(handle), {kMagic, getpid(), event->device, event->number, 0});
  return kSuccess;
}

// Work of the other process is always done here, as everything is: an event of our own stands for its event.
int cuIpcOpenEventHandle(void** event, maya_abi_CUipcEventHandle handle) {
  if (int status = require_context()) return status;
  if (!event || unseal(handle).magic != kMagic) return kInvalidValue;
  *event = create_event(current_device(), kInterprocessEvent | kDisableTiming);
  return *event ? kSuccess : kOutOfMemory;
}

}  // extern "C"
