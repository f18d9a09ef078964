// Memory and events shared between processes. A handle carries what the other side needs to account for it.
#include <unistd.h>

#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/memory.h"
#include "status.h"

using namespace maya;

namespace {

struct SharedMemory {
  char magic[8];
  uint64_t address;
  uint64_t bytes;
  int32_t device;
  int32_t pid;
  char padding[32];
};
static_assert(sizeof(SharedMemory) == 64, "size of cudaIpcMemHandle_t");

constexpr char kMagic[8] = {'M', 'A', 'Y', 'A', 'I', 'P', 'C', 0};

}  // namespace

int cudaIpcGetMemHandle(void* handle, void* address) {
  if (int error = ready()) return fail(error);
  Allocation found;
  if (!handle || !find_allocation(address, &found)) return fail(kInvalidValue);
  SharedMemory shared{};
  std::memcpy(shared.magic, kMagic, sizeof kMagic);
  shared.address = found.address;
  shared.bytes = found.bytes;
  shared.device = physical_device(found.device);
  shared.pid = getpid();
  std::memcpy(handle, &shared, sizeof shared);
  return kSuccess;
}

int cudaIpcOpenMemHandle(void** address, maya_abi_cudaIpcMemHandle handle, unsigned int) {
  if (int error = ready()) return fail(error);
  SharedMemory shared;
  std::memcpy(&shared, &handle, sizeof shared);
  if (!address || std::memcmp(shared.magic, kMagic, sizeof kMagic) != 0) return fail(kInvalidValue);
  if (shared.pid == getpid()) return fail(kInvalidResourceHandle);
  *address = open_shared(current_device(), shared.bytes);
  return check(*address != nullptr, kMemoryAllocation);
}

int cudaIpcCloseMemHandle(void* address) {
  if (int error = ready()) return fail(error);
  return check(close_shared(address), kInvalidValue);
}

int cudaIpcGetEventHandle(void* handle, void* event) {
  if (int error = ready()) return fail(error);
  Event* found = find_event(event);
  if (!found) return fail(kInvalidResourceHandle);
  if (!handle || !(found->flags & 4)) return fail(kInvalidValue);
  SharedMemory shared{};
  std::memcpy(shared.magic, kMagic, sizeof kMagic);
  shared.address = found->number;
  shared.pid = getpid();
  std::memcpy(handle, &shared, sizeof shared);
  return kSuccess;
}

int cudaIpcOpenEventHandle(void** event, maya_abi_cudaIpcEventHandle handle) {
  if (int error = ready()) return fail(error);
  SharedMemory shared;
  std::memcpy(&shared, &handle, sizeof shared);
  if (!event || std::memcmp(shared.magic, kMagic, sizeof kMagic) != 0) return fail(kInvalidValue);
  *event = create_event(current_device(), 6);
  return kSuccess;
}
