// What ends with what: contexts, graphs, shared memory; objects that runtime and driver have in common.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "../../cudart/status.h"
#include "../expect.h"
#include "cuda.h"
#include "cudart.h"

using namespace maya;

namespace {

constexpr size_t kMiB = size_t{1} << 20;

size_t free_memory() {
  size_t free_bytes = 0, total = 0;
  EXPECT(kSuccess, cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

void a_reset_frees_what_the_device_held() {
  const size_t before = free_memory();
  void *memory = nullptr, *host = nullptr, *stream = nullptr, *event = nullptr, *ordered = nullptr;
  EXPECT(kSuccess, cudaMalloc(&memory, 64 * kMiB));
  EXPECT(kSuccess, cudaMallocHost(&host, 4096));
  EXPECT(kSuccess, cudaStreamCreate(&stream));
  EXPECT(kSuccess, cudaEventCreate(&event));
  EXPECT(kSuccess, cudaMallocAsync(&ordered, 8 * kMiB, stream));
  EXPECT(kSuccess, cudaDeviceSetLimit(2, 64 * kMiB));
  EXPECT(kSuccess, cudaSetDevice(1));
  void* elsewhere = nullptr;
  EXPECT(kSuccess, cudaMalloc(&elsewhere, 64 * kMiB));
  EXPECT(kSuccess, cudaSetDevice(0));
  EXPECT(kSuccess, cudaDeviceReset());
  CHECK(free_memory() == before);
  size_t limit = 0;
  EXPECT(kSuccess, cudaDeviceGetLimit(&limit, 2));
  CHECK(limit == 8 * kMiB);
  EXPECT(kInvalidValue, cudaFree(memory));
  EXPECT(kInvalidValue, cudaFreeHost(host));
  EXPECT(kInvalidResourceHandle, cudaStreamSynchronize(stream));
  EXPECT(kInvalidResourceHandle, cudaEventSynchronize(event));
  EXPECT(kSuccess, cudaFree(elsewhere));
  EXPECT(kSuccess, cudaMalloc(&memory, kMiB));
}

// The driver's documentation: modules and what is instantiated belong to a context, libraries and graphs do
// not.
void a_reset_ends_modules_and_instantiated_graphs() {
  static const char ptx[] =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .b8 table[64];\n"
      ".visible .entry bare()\n{\n  ret;\n}\n";
  EXPECT(kSuccess, cudaSetDevice(0));
  EXPECT(kSuccess, cudaFree(nullptr));
  void *module = nullptr, *function = nullptr, *library = nullptr, *graph = nullptr, *exec = nullptr;
  EXPECT(kSuccess, cuModuleLoadData(&module, ptx));
  EXPECT(kSuccess, cuModuleGetFunction(&function, module, "bare"));
  EXPECT(kSuccess, cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned long long before = 0, after = 0;
  size_t bytes = 0;
  EXPECT(kSuccess, cuLibraryGetGlobal(&before, &bytes, library, "table"));
  EXPECT(kSuccess, cudaGraphCreate(&graph, 0));
  EXPECT(kSuccess, cudaGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cudaGraphLaunch(exec, nullptr));
  EXPECT(kSuccess, cudaDeviceReset());
  EXPECT(kSuccess, cudaFree(nullptr));
  EXPECT(kInvalidResourceHandle, cuModuleGetFunction(&function, module, "bare"));
  EXPECT(kInvalidResourceHandle, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT(kInvalidResourceHandle, cuModuleUnload(module));
  EXPECT(kInvalidValue, cudaGraphLaunch(exec, nullptr));
  EXPECT(kSuccess, cudaGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cudaGraphLaunch(exec, nullptr));
  EXPECT(kSuccess, cuLibraryGetGlobal(&after, &bytes, library, "table"));
  CHECK(after != 0 && cudaMemset(reinterpret_cast<void*>(after), 0, bytes) == kSuccess);
  EXPECT(kSuccess, cuLibraryUnload(library));
}

void a_context_takes_its_memory_with_it() {
  EXPECT(kSuccess, cuInit(0));
  void* context = nullptr;
  EXPECT(kSuccess, cuCtxCreate_v2(&context, 0, 0));
  const size_t before = free_memory();
  unsigned long long memory = 0, primary_memory = 0;
  EXPECT(kSuccess, cuMemAlloc_v2(&memory, 32 * kMiB));
  void* primary = nullptr;
  EXPECT(kSuccess, cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT(kSuccess, cuCtxPushCurrent_v2(primary));
  EXPECT(kSuccess, cuMemAlloc_v2(&primary_memory, 16 * kMiB));
  EXPECT(kSuccess, cuCtxDestroy_v2(context));
  CHECK(free_memory() == before - 16 * kMiB);
  EXPECT(1, cuMemFree_v2(memory));
  EXPECT(kSuccess, cuMemFree_v2(primary_memory));
}

void a_pool_is_the_same_for_runtime_and_driver() {
  void *runtime = nullptr, *driver = nullptr;
  EXPECT(kSuccess, cudaDeviceGetDefaultMemPool(&runtime, 0));
  EXPECT(kSuccess, cuDeviceGetDefaultMemPool(&driver, 0));
  CHECK(runtime == driver);
  uint64_t threshold = 5, seen = 0;
  EXPECT(kSuccess, cudaMemPoolSetAttribute(runtime, 4, &threshold));
  EXPECT(kSuccess, cuMemPoolGetAttribute(driver, 4, &seen));
  CHECK(seen == 5);
  EXPECT(kInvalidValue, cudaMemPoolDestroy(runtime));
  alignas(8) char properties[88] = {};
  const int head[] = {1, 0, 1, 0};  // pinned, no handles, on device 0
  std::memcpy(properties, head, sizeof head);
  void* made = nullptr;
  EXPECT(kSuccess, cudaMemPoolCreate(&made, properties));
  EXPECT(kSuccess, cuDeviceSetMemPool(0, made));
  EXPECT(kSuccess, cudaDeviceGetMemPool(&runtime, 0));
  CHECK(runtime == made);
  EXPECT(kSuccess, cuMemPoolDestroy(made));
  EXPECT(kSuccess, cudaDeviceGetMemPool(&runtime, 0));
  CHECK(runtime == driver);
}

int destroyed = 0;

void graphs_drop_the_objects_they_hold() {
  void *object = nullptr, *graph = nullptr, *exec = nullptr;
  auto destroy = [](void* counter) { ++*static_cast<int*>(counter); };
  EXPECT(kSuccess, cudaGraphCreate(&graph, 0));
  EXPECT(kSuccess, cudaUserObjectCreate(&object, &destroyed, reinterpret_cast<void*>(+destroy), 1, 1));
  EXPECT(kSuccess, cudaGraphRetainUserObject(graph, object, 1, 1));  // the graph takes over the only one
  EXPECT(kInvalidValue, cudaGraphReleaseUserObject(graph, object, 2));
  EXPECT(kSuccess, cudaGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cudaGraphDestroy(graph));
  CHECK(destroyed == 0);  // what was instantiated needs it still
  EXPECT(kSuccess, cudaGraphExecDestroy(exec));
  CHECK(destroyed == 1);
  EXPECT(kInvalidValue, cudaUserObjectRelease(object, 1));
}

// Another process allocates; returns its handle.
maya_abi_cudaIpcMemHandle handle_of_another_process() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  maya_abi_cudaIpcMemHandle handle;
  pid_t child = fork();
  if (child == 0) {
    void* memory = nullptr;
    EXPECT(kSuccess, cudaMalloc(&memory, 10 * kMiB));
    EXPECT(kSuccess, cudaIpcGetMemHandle(&handle, memory));
    CHECK(write(ends[1], &handle, sizeof handle) == sizeof handle);
    _exit(0);
  }
  CHECK(read(ends[0], &handle, sizeof handle) == sizeof handle);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return handle;
}

void closing_shared_memory_gives_it_back() {
  maya_abi_cudaIpcMemHandle handle = handle_of_another_process();
  const size_t before = free_memory();
  void *first = nullptr, *second = nullptr;
  EXPECT(kSuccess, cudaIpcOpenMemHandle(&first, handle, 1));
  CHECK(free_memory() == before - 10 * kMiB);
  EXPECT(kSuccess, cudaIpcCloseMemHandle(first));
  EXPECT(kInvalidValue, cudaIpcCloseMemHandle(first));
  CHECK(free_memory() == before);
  EXPECT(kSuccess, cudaIpcOpenMemHandle(&second, handle, 1));
  CHECK(second == first);
}

void devices_are_chosen_by_identifier() {
  setenv("CUDA_VISIBLE_DEVICES", "GPU-6d617961-4510-4d01-8000-000000000002,1,GPU-6d61", 1);
  int count = 0;
  EXPECT(kSuccess, cudaGetDeviceCount(&count));
  CHECK(count == 2);  // the last entry could be any of them
  unsigned char uuid[16] = {};
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuDeviceGetUuid_v2(uuid, 0));
  CHECK(uuid[15] == 2);
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"a_reset_frees_what_the_device_held", a_reset_frees_what_the_device_held},
          {"a_reset_ends_modules_and_instantiated_graphs", a_reset_ends_modules_and_instantiated_graphs},
          {"a_context_takes_its_memory_with_it", a_context_takes_its_memory_with_it},
          {"a_pool_is_the_same_for_runtime_and_driver", a_pool_is_the_same_for_runtime_and_driver},
          {"graphs_drop_the_objects_they_hold", graphs_drop_the_objects_they_hold},
          {"closing_shared_memory_gives_it_back", closing_shared_memory_gives_it_back},
          {"devices_are_chosen_by_identifier", devices_are_chosen_by_identifier},
      },
      count, arguments);
}
