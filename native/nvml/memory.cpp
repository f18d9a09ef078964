// How full a GPU is, and by whom. Only this process is known: other ranks keep their own books.
#include "maya/memory.h"

#include <unistd.h>

#include "device.h"

using namespace maya::nvml;

namespace {

struct Memory {
  unsigned long long total, free, used;
};

struct MemoryWithReserve {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
static_assert(sizeof(MemoryWithReserve) == 40);
constexpr unsigned kMemoryVersion2 = sizeof(MemoryWithReserve) | 2u << 24;

struct Process {
  unsigned pid;
  unsigned long long used;
};

struct ProcessInInstance {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

Memory memory_of(unsigned index) {
  Memory memory{maya::device_model().total_memory, maya::device_model().total_memory, 0};
  int device = cuda_device(index);
  if (device < 0 || !maya::has_context(device)) return memory;
  size_t free = 0, total = 0;
  maya::memory_info(device, &free, &total);
  memory.free = free;
  memory.used = memory.total > free ? memory.total - free : 0;
  return memory;
}

// This process, where it uses the GPU.
template <typename Entry>
int list_processes(void* device, unsigned* count, void* infos, Entry entry) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (!count) return kInvalidArgument;
  int cuda = cuda_device(index);
  unsigned present = cuda >= 0 && maya::has_context(cuda);
  unsigned room = *count;
  *count = present;
  if (present > room) return kInsufficientSize;
  if (present && !infos) return kInvalidArgument;
  entry.pid = static_cast<unsigned>(getpid());
  entry.used = memory_of(index).used;
  if (present) *static_cast<Entry*>(infos) = entry;
  return kSuccess;
}

int no_processes(void* device, unsigned* count) {
  return give(device, count, 0);
}

}  // namespace

extern "C" {

int nvmlDeviceGetMemoryInfo(void* device, void* memory) {
  unsigned index = 0;
  int result = find(device, &index);
  return result == kSuccess ? give(device, static_cast<Memory*>(memory), memory_of(index)) : result;
}

int nvmlDeviceGetMemoryInfo_v2(void* device, void* memory) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  auto* out = static_cast<MemoryWithReserve*>(memory);
  if (!out) return kInvalidArgument;
  if (out->version != kMemoryVersion2) return kVersionMismatch;
  Memory now = memory_of(index);
  *out = MemoryWithReserve{kMemoryVersion2, now.total, 0, now.free, now.used};
  return kSuccess;
}

int nvmlDeviceGetBAR1MemoryInfo(void* device, void* bar1Memory) {
  unsigned long long total = 128ull << 30;
  return give(device, static_cast<Memory*>(bar1Memory), Memory{total, total, 0});
}

int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned int* infoCount, void* infos) {
  return list_processes(device, infoCount, infos, Process{});
}

int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned int* infoCount, void* infos) {
  return list_processes(device, infoCount, infos, ProcessInInstance{0, 0, kNoInstance, kNoInstance});
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned int* infoCount, void* infos) {
  return nvmlDeviceGetComputeRunningProcesses_v2(device, infoCount, infos);
}

int nvmlDeviceGetGraphicsRunningProcesses(void* device, unsigned int* infoCount, void*) {
  return no_processes(device, infoCount);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(void* device, unsigned int* infoCount, void*) {
  return no_processes(device, infoCount);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned int* infoCount, void*) {
  return no_processes(device, infoCount);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(void* device, unsigned int* infoCount, void*) {
  return no_processes(device, infoCount);
}

}  // extern "C"
