// Initialisation, devices and contexts, and the codes of their wrong use.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "check.h"

namespace {

void nothing_works_before_initialisation() {
  int number = 0;
  size_t bytes = 0;
  DevicePtr address = 0;
  void* context = nullptr;
  EXPECT(kSuccess, cuDriverGetVersion(&number));
  CHECK(number == kDriverVersion);
  EXPECT(kNotInitialized, cuDeviceGetCount(&number));
  EXPECT(kNotInitialized, cuDeviceGet(&number, 0));
  EXPECT(kNotInitialized, cuCtxGetCurrent(&context));
  EXPECT(kNotInitialized, cuMemAlloc_v2(&address, 16));
  EXPECT(kNotInitialized, cuMemGetInfo_v2(&bytes, &bytes));
  EXPECT(kInvalidValue, cuInit(1));
}

void nothing_works_without_a_context() {
  DevicePtr address = 0;
  void* handle = nullptr;
  int number = 0;
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuCtxGetCurrent(&handle));
  CHECK(!handle);
  EXPECT(kInvalidContext, cuMemAlloc_v2(&address, 16));
  EXPECT(kInvalidContext, cuStreamCreate(&handle, 0));
  EXPECT(kInvalidContext, cuCtxSynchronize());
  EXPECT(kInvalidContext, cuCtxGetDevice(&number));
  EXPECT(kInvalidContext, cuCtxSetCurrent(&number));
  EXPECT(kSuccess, cuDevicePrimaryCtxRetain(&handle, 0));
  EXPECT(kInvalidContext, cuMemAlloc_v2(&address, 16));
}

void devices_are_described() {
  int count = 0, device = -1, value = 0, same = -1;
  char name[64], bus[32];
  unsigned char uuid[16] = {}, other[16] = {};
  size_t bytes = 0;
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuDeviceGetCount(&count));
  CHECK(count == 8);
  EXPECT(kSuccess, cuDeviceGet(&device, 3));
  EXPECT(kInvalidDevice, cuDeviceGet(&device, 8));
  EXPECT(kSuccess, cuDeviceGetName(name, sizeof name, device));
  CHECK(std::strstr(name, "H100"));
  EXPECT(kSuccess, cuDeviceGetAttribute(&value, 75, device));
  CHECK(value == 9);
  EXPECT(kInvalidValue, cuDeviceGetAttribute(&value, 100000, device));
  EXPECT(kSuccess, cuDeviceTotalMem_v2(&bytes, device));
  CHECK(bytes > size_t{70} << 30);
  EXPECT(kSuccess, cuDeviceGetPCIBusId(bus, sizeof bus, device));
  EXPECT(kSuccess, cuDeviceGetByPCIBusId(&same, bus));
  CHECK(same == device);
  EXPECT(kSuccess, cuDeviceGetUuid_v2(uuid, device));
  EXPECT(kSuccess, cuDeviceGetUuid_v2(other, 4));
  CHECK(std::memcmp(uuid, other, 16) != 0);
}

void contexts_stack() {
  void *first = nullptr, *second = nullptr, *current = nullptr;
  int device = -1;
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuCtxCreate_v2(&first, 0, 1));
  EXPECT(kSuccess, cuCtxCreate_v2(&second, 0, 2));
  EXPECT(kSuccess, cuCtxGetDevice(&device));
  CHECK(device == 2);
  EXPECT(kSuccess, cuCtxPopCurrent_v2(&current));
  CHECK(current == second);
  EXPECT(kSuccess, cuCtxGetDevice(&device));
  CHECK(device == 1);
  EXPECT(kSuccess, cuCtxPushCurrent_v2(second));
  EXPECT(kSuccess, cuCtxDestroy_v2(second));
  EXPECT(kInvalidContext, cuCtxDestroy_v2(second));
  EXPECT(kInvalidContext, cuCtxPushCurrent_v2(second));
  EXPECT(kSuccess, cuCtxGetCurrent(&current));
  CHECK(current == first);
}

void a_context_belongs_to_a_thread() {
  start_on_device(0);
  std::thread([] {
    void* current = nullptr;
    DevicePtr address = 0;
    EXPECT(kSuccess, cuCtxGetCurrent(&current));
    CHECK(!current);
    EXPECT(kInvalidContext, cuMemAlloc_v2(&address, 16));
  }).join();
}

void primary_context_has_a_state() {
  unsigned flags = 1;
  int active = 1;
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(!active);
  EXPECT(kInvalidContext, cuDevicePrimaryCtxRelease_v2(0));
  start_on_device(0);
  EXPECT(kSuccess, cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active);
  EXPECT(kSuccess, cuDevicePrimaryCtxRelease_v2(0));
  EXPECT(kSuccess, cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(!active);
}

void limits_are_kept() {
  size_t value = 0;
  start_on_device(0);
  EXPECT(kSuccess, cuCtxSetLimit(1, 1 << 20));
  EXPECT(kSuccess, cuCtxGetLimit(&value, 1));
  CHECK(value == 1 << 20);
  EXPECT(kUnsupportedLimit, cuCtxGetLimit(&value, 77));
}

void peers_are_enabled_once() {
  int can = 0;
  start_on_device(0);
  void *peer = nullptr, *own = nullptr;
  EXPECT(kSuccess, cuDevicePrimaryCtxRetain(&peer, 1));
  EXPECT(kSuccess, cuCtxGetCurrent(&own));
  EXPECT(kSuccess, cuDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can);
  EXPECT(kSuccess, cuCtxEnablePeerAccess(peer, 0));
  EXPECT(kPeerAccessAlreadyEnabled, cuCtxEnablePeerAccess(peer, 0));
  EXPECT(kSuccess, cuCtxDisablePeerAccess(peer));
  EXPECT(kPeerAccessNotEnabled, cuCtxDisablePeerAccess(peer));
  EXPECT(kInvalidDevice, cuCtxEnablePeerAccess(own, 0));
}

void a_forked_child_has_no_driver() {
  start_on_device(0);
  allocate(1024);
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    _exit(cuDeviceGetCount(&count) == kNotInitialized && cuInit(0) == kNotInitialized ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

void entry_points_are_found_by_version() {
  void* function = nullptr;
  int status = -1;
  EXPECT(kSuccess, cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status));
  CHECK(function == reinterpret_cast<void*>(&cuMemAlloc_v2) && status == 0);
  EXPECT(kSuccess, cuGetProcAddress_v2("cuCtxCreate", &function, 3020, 0, &status));
  CHECK(function == reinterpret_cast<void*>(&cuCtxCreate_v2));
  EXPECT(kSuccess, cuGetProcAddress_v2("cuCtxCreate", &function, 12080, 0, &status));
  CHECK(function == reinterpret_cast<void*>(&cuCtxCreate_v4));
  EXPECT(kSuccess, cuGetProcAddress_v2("cuStreamWriteValue32", &function, 12000, 0, &status));
  CHECK(function == reinterpret_cast<void*>(&cuStreamWriteValue32_v2));
  EXPECT(kSuccess, cuGetProcAddress_v2("cuLaunchKernel", &function, 12000, 2, &status));
  CHECK(function == reinterpret_cast<void*>(&cuLaunchKernel_ptsz));
  EXPECT(kNotFound, cuGetProcAddress_v2("cuNoSuchFunction", &function, 12000, 0, &status));
  CHECK(!function && status == 1);
  EXPECT(kInvalidValue, cuGetProcAddress_v2("cuInit", &function, 99000, 0, &status));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"nothing_works_before_initialisation", nothing_works_before_initialisation},
          {"nothing_works_without_a_context", nothing_works_without_a_context},
          {"devices_are_described", devices_are_described},
          {"contexts_stack", contexts_stack},
          {"a_context_belongs_to_a_thread", a_context_belongs_to_a_thread},
          {"primary_context_has_a_state", primary_context_has_a_state},
          {"limits_are_kept", limits_are_kept},
          {"peers_are_enabled_once", peers_are_enabled_once},
          {"a_forked_child_has_no_driver", a_forked_child_has_no_driver},
          {"entry_points_are_found_by_version", entry_points_are_found_by_version},
      },
      count, arguments);
}
