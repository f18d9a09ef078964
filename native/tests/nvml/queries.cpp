// What management tools ask, on a node of eight GPUs of which CUDA may see two.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../expect.h"
#include "cudart.h"
#include "nvml.h"

namespace {

constexpr int kUninitialized = 1, kInvalidArgument = 2, kInsufficientSize = 7, kVersionMismatch = 25;

struct Memory {
  unsigned long long total, free, used;
};
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
struct Field {
  unsigned id, scope;
  long long timestamp, latency;
  int type, result;
  unsigned long long value;
};

void check_identity(void* device, unsigned index) {
  char uuid[96], pci[68];
  void* again = nullptr;
  unsigned number = 99;
  CHECK(nvmlDeviceGetIndex(device, &number) == 0 && number == index);
  CHECK(nvmlDeviceGetUUID(device, uuid, sizeof uuid) == 0 && std::strlen(uuid) == 40);
  CHECK(nvmlDeviceGetHandleByUUID(uuid, &again) == 0 && again == device);
  CHECK(nvmlDeviceGetPciInfo_v3(device, pci) == 0);
  CHECK(nvmlDeviceGetHandleByPciBusId_v2(pci, &again) == 0 && again == device);       // 0000:1B:00.0
  CHECK(nvmlDeviceGetHandleByPciBusId_v2(pci + 36, &again) == 0 && again == device);  // 00000000:1B:00.0
  CHECK(nvmlDeviceGetUUID(device, uuid, 5) == kInsufficientSize);
}

// CUDA's device 1 is the node's GPU 5.
void check_memory(void* device) {
  Memory before, after;
  CHECK(nvmlDeviceGetMemoryInfo(device, &before) == 0);
  CHECK(before.total == before.free + before.used);
  void* block = nullptr;
  CHECK(cudaSetDevice(1) == 0 && cudaMalloc(&block, 1 << 30) == 0);
  CHECK(nvmlDeviceGetMemoryInfo(device, &after) == 0 && after.used >= before.used + (1 << 30));
  MemoryV2 second{sizeof(MemoryV2) | 2 << 24, 0, 0, 0, 0};
  CHECK(nvmlDeviceGetMemoryInfo_v2(device, &second) == 0 && second.used == after.used);
  second.version = 7;
  CHECK(nvmlDeviceGetMemoryInfo_v2(device, &second) == kVersionMismatch);
  Process processes[4];
  unsigned count = 0;
  CHECK(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, nullptr) == kInsufficientSize && count == 1);
  count = 4;
  CHECK(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes) == 0 && count == 1);
  CHECK(processes[0].pid == static_cast<unsigned>(getpid()) && processes[0].used == after.used);
}

void check_links(void* one, void* other) {
  int active = 0, kind = 0, status = -1, path = -1;
  CHECK(nvmlDeviceGetNvLinkState(one, 0, &active) == 0 && active == 1);
  CHECK(nvmlDeviceGetNvLinkState(one, 18, &active) == kInvalidArgument);
  CHECK(nvmlDeviceGetNvLinkRemoteDeviceType(one, 17, &kind) == 0 && kind == 2);
  CHECK(nvmlDeviceGetP2PStatus(one, other, 2, &status) == 0 && status == 0);
  CHECK(nvmlDeviceGetTopologyCommonAncestor(one, one, &path) == 0 && path == 0);
  Field fields[2] = {};
  fields[0].id = 91;
  fields[1].id = 9999;
  CHECK(nvmlDeviceGetFieldValues(one, 2, fields) == 0);
  CHECK(fields[0].result == 0 && fields[0].value == 18 && fields[1].result == 3);
}

}  // namespace

int main() {
  setenv("CUDA_VISIBLE_DEVICES", "2,5", 1);
  unsigned count = 0, limit = 0, current = 9, pending = 9, utilization[2] = {9, 9};
  char text[96];
  int version = 0, major = 0, minor = 0;
  CHECK(nvmlDeviceGetCount_v2(&count) == kUninitialized);
  CHECK(nvmlInit_v2() == 0);
  CHECK(nvmlDeviceGetCount_v2(&count) == 0 && count == 8);
  void *device = nullptr, *other = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    CHECK(nvmlDeviceGetHandleByIndex_v2(i, &device) == 0);
    check_identity(device, i);
  }
  CHECK(nvmlDeviceGetHandleByIndex_v2(8, &device) == kInvalidArgument);
  CHECK(nvmlDeviceGetHandleByIndex_v2(5, &device) == 0 && nvmlDeviceGetHandleByIndex_v2(0, &other) == 0);
  CHECK(nvmlDeviceGetName(device, text, sizeof text) == 0 && std::strstr(text, "H100"));
  CHECK(nvmlDeviceGetName(&count, text, sizeof text) == kInvalidArgument);
  CHECK(nvmlSystemGetDriverVersion(text, sizeof text) == 0 && std::strstr(text, "580."));
  CHECK(nvmlSystemGetCudaDriverVersion_v2(&version) == 0 && version >= 12080);
  CHECK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor) == 0 && major == 9 && minor == 0);
  CHECK(nvmlDeviceGetEnforcedPowerLimit(device, &limit) == 0 && limit == 700000);
  CHECK(nvmlDeviceGetMigMode(device, &current, &pending) == 0 && current == 0 && pending == 0);
  CHECK(nvmlDeviceGetUtilizationRates(device, utilization) == 0 && utilization[0] == 0);
  check_memory(device);
  check_links(device, other);
  CHECK(nvmlShutdown() == 0 && nvmlShutdown() == kUninitialized);
  CHECK(std::string(nvmlErrorString(kUninitialized)) == "Uninitialized");
  return 0;
}
