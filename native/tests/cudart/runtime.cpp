// The runtime library as a program sees it: values, codes of wrong use, layouts that both CUDA versions fix.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "../../cudart/status.h"
#include "../expect.h"
#include "cudart.h"

using namespace maya;

namespace {

constexpr int kHostToDevice = 1;
constexpr int kDeviceToHost = 2;
constexpr int kDeviceToDevice = 3;
constexpr size_t kGiB = size_t{1} << 30;

void* device_memory(size_t bytes) {
  void* address = nullptr;
  EXPECT(kSuccess, cudaMalloc(&address, bytes));
  return address;
}

size_t free_memory() {
  size_t free_bytes = 0, total = 0;
  EXPECT(kSuccess, cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

void a_full_device_refuses_and_recovers() {
  const size_t before = free_memory();
  void* address = nullptr;
  EXPECT(kMemoryAllocation, cudaMalloc(&address, before + 1));
  EXPECT(kMemoryAllocation, cudaGetLastError());
  EXPECT(kSuccess, cudaGetLastError());
  void* large = device_memory(before / (2 << 20) * (2 << 20));
  CHECK(free_memory() < (2 << 20));
  EXPECT(kMemoryAllocation, cudaMalloc(&address, 2 << 20));
  EXPECT(kSuccess, cudaFree(large));
  CHECK(free_memory() == before);
  EXPECT(kInvalidValue, cudaFree(large));
}

void small_allocations_share_pages() {
  const size_t before = free_memory();
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(device_memory(1024));
  CHECK(before - free_memory() == 2 << 20);
  for (void* block : blocks) EXPECT(kSuccess, cudaFree(block));
  CHECK(free_memory() == before);
}

void host_values_survive_and_unknown_ones_are_zero() {
  int in[4] = {1, 2, 3, 4}, out[4] = {9, 9, 9, 9};
  void* a = device_memory(64);
  void* b = device_memory(64);
  EXPECT(kSuccess, cudaMemcpy(out, b, sizeof out, kDeviceToHost));
  CHECK(out[0] == 0 && out[3] == 0);
  EXPECT(kSuccess, cudaMemcpy(a, in, sizeof in, kHostToDevice));
  EXPECT(kSuccess, cudaMemcpyAsync(b, a, sizeof in, kDeviceToDevice, nullptr));
  EXPECT(kSuccess, cudaMemcpy(out, b, sizeof out, kDeviceToHost));
  CHECK(std::memcmp(in, out, sizeof in) == 0);
  EXPECT(kSuccess, cudaMemset(a, 0xff, 8));
  EXPECT(kSuccess, cudaMemcpy(out, a, sizeof out, kDeviceToHost));
  CHECK(out[0] == -1 && out[1] == -1 && out[2] == 3);
}

void freed_memory_comes_back_without_values() {
  int value = 42, out = 7;
  void* a = device_memory(64);
  EXPECT(kSuccess, cudaMemcpy(a, &value, sizeof value, kHostToDevice));
  EXPECT(kSuccess, cudaFree(a));
  void* b = device_memory(64);
  CHECK(a == b);
  EXPECT(kSuccess, cudaMemcpy(&out, b, sizeof out, kDeviceToHost));
  CHECK(out == 0);
}

void wrong_handles_and_directions_are_refused() {
  int value = 0;
  void* a = device_memory(64);
  EXPECT(kInvalidMemcpyDirection, cudaMemcpy(a, &value, 4, 17));
  EXPECT(kInvalidValue, cudaMemcpy(nullptr, &value, 4, kHostToDevice));
  EXPECT(kInvalidResourceHandle, cudaMemcpyAsync(a, &value, 4, kHostToDevice, &value));
  EXPECT(kInvalidResourceHandle, cudaStreamSynchronize(&value));
  EXPECT(kInvalidResourceHandle, cudaEventRecord(&value, nullptr));
  EXPECT(kInvalidDevice, cudaSetDevice(8));
  EXPECT(kInvalidDevice, cudaSetDevice(-1));
  EXPECT(kInvalidDeviceFunction, cudaLaunchKernel(&value, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  EXPECT(kInvalidValue, cudaFree(&value));
  CHECK(std::strcmp(cudaGetErrorName(kInvalidDevice), "cudaErrorInvalidDevice") == 0);
}

void the_current_device_belongs_to_the_thread() {
  EXPECT(kSuccess, cudaSetDevice(3));
  int seen = -1;
  std::thread([&seen] { cudaGetDevice(&seen); }).join();
  CHECK(seen == 0);
  EXPECT(kSuccess, cudaGetDevice(&seen));
  CHECK(seen == 3);
}

void limits_belong_to_the_device() {
  size_t value = 0;
  EXPECT(kSuccess, cudaDeviceGetLimit(&value, 2));
  CHECK(value == 8 << 20);
  EXPECT(kSuccess, cudaDeviceSetLimit(2, 64 << 20));
  std::thread([&value] { cudaDeviceGetLimit(&value, 2); }).join();
  CHECK(value == 64 << 20);
  EXPECT(kSuccess, cudaSetDevice(1));
  EXPECT(kSuccess, cudaDeviceGetLimit(&value, 2));
  CHECK(value == 8 << 20);
  EXPECT(kInvalidValue, cudaDeviceSetLimit(99, 1));
}

void events_measure_only_what_was_recorded() {
  void *start = nullptr, *end = nullptr, *silent = nullptr;
  float ms = -1;
  EXPECT(kSuccess, cudaEventCreate(&start));
  EXPECT(kSuccess, cudaEventCreate(&end));
  EXPECT(kSuccess, cudaEventCreateWithFlags(&silent, 2));
  EXPECT(kInvalidResourceHandle, cudaEventElapsedTime(&ms, start, end));
  EXPECT(kSuccess, cudaEventQuery(start));
  EXPECT(kSuccess, cudaEventRecord(start, nullptr));
  EXPECT(kSuccess, cudaEventRecord(end, nullptr));
  EXPECT(kSuccess, cudaEventRecord(silent, nullptr));
  EXPECT(kSuccess, cudaEventElapsedTime(&ms, start, end));
  CHECK(ms >= 0);
  EXPECT(kInvalidResourceHandle, cudaEventElapsedTime(&ms, start, silent));
  EXPECT(kSuccess, cudaEventDestroy(start));
  EXPECT(kInvalidResourceHandle, cudaEventDestroy(start));
}

void callbacks_run_in_order() {
  static std::vector<int> order;
  auto append = [](void* data) { order.push_back(*static_cast<int*>(data)); };
  int one = 1, two = 2;
  void* function = reinterpret_cast<void*>(+append);
  EXPECT(kSuccess, cudaLaunchHostFunc(nullptr, function, &one));
  EXPECT(kSuccess, cudaLaunchHostFunc(nullptr, function, &two));
  EXPECT(kInvalidValue, cudaLaunchHostFunc(nullptr, nullptr, nullptr));
  CHECK((order == std::vector<int>{1, 2}));
}

void capture_makes_a_graph_with_its_dependencies() {
  void *main_stream = nullptr, *side = nullptr, *fork = nullptr, *join = nullptr;
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&main_stream, 1));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&side, 1));
  EXPECT(kSuccess, cudaEventCreateWithFlags(&fork, 2));
  EXPECT(kSuccess, cudaEventCreateWithFlags(&join, 2));
  void* a = device_memory(64);
  EXPECT(kStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, 0));
  EXPECT(kSuccess, cudaStreamBeginCapture(main_stream, 0));
  EXPECT(kSuccess, cudaMemsetAsync(a, 0, 64, main_stream));
  EXPECT(kSuccess, cudaEventRecord(fork, main_stream));
  EXPECT(kSuccess, cudaStreamWaitEvent(side, fork, 0));
  EXPECT(kSuccess, cudaMemsetAsync(a, 1, 32, side));
  EXPECT(kSuccess, cudaEventRecord(join, side));
  EXPECT(kSuccess, cudaMemsetAsync(a, 2, 16, main_stream));
  EXPECT(kSuccess, cudaStreamWaitEvent(main_stream, join, 0));
  EXPECT(kSuccess, cudaMemsetAsync(a, 3, 8, main_stream));
  void* refused = nullptr;
  EXPECT(kStreamCaptureUnsupported, cudaMalloc(&refused, 64));
  EXPECT(kCapturedEvent, cudaEventQuery(join));
  void *graph = nullptr, *exec = nullptr;
  EXPECT(kSuccess, cudaStreamEndCapture(main_stream, &graph));
  size_t nodes = 0, roots = 0;
  EXPECT(kSuccess, cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(kSuccess, cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 4 && roots == 1);
  EXPECT(kSuccess, cudaGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cudaGraphLaunch(exec, main_stream));
  EXPECT(kSuccess, cudaGraphLaunch(exec, main_stream));
  EXPECT(kSuccess, cudaGraphDestroy(graph));
  EXPECT(kInvalidValue, cudaGraphDestroy(graph));
  EXPECT(kSuccess, cudaGraphLaunch(exec, side));
}

void waiting_inside_a_capture_spoils_it() {
  void *stream = nullptr, *graph = nullptr;
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&stream, 1));
  EXPECT(kInvalidValue, cudaStreamEndCapture(stream, &graph));
  EXPECT(kSuccess, cudaStreamBeginCapture(stream, 2));
  EXPECT(kStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  int status = 0;
  EXPECT(kSuccess, cudaStreamIsCapturing(stream, &status));
  CHECK(status == 2);
  EXPECT(kStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  EXPECT(kSuccess, cudaStreamSynchronize(stream));
}

void the_legacy_stream_spoils_captures_that_wait_for_it() {
  void *blocking = nullptr, *free_running = nullptr, *graph = nullptr;
  void* a = device_memory(64);
  EXPECT(kSuccess, cudaStreamCreate(&blocking));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&free_running, 1));
  EXPECT(kSuccess, cudaStreamBeginCapture(free_running, 2));
  EXPECT(kSuccess, cudaMemsetAsync(a, 0, 64, nullptr));
  EXPECT(kSuccess, cudaStreamEndCapture(free_running, &graph));
  EXPECT(kSuccess, cudaStreamBeginCapture(blocking, 2));
  EXPECT(kStreamCaptureImplicit, cudaMemsetAsync(a, 0, 64, nullptr));
  EXPECT(kStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
  EXPECT(kSuccess, cudaMemsetAsync(a, 0, 64, nullptr));
}

void a_forked_child_cannot_use_the_device() {
  device_memory(64);
  pid_t child = fork();
  if (child == 0) {
    void* address = nullptr;
    _exit(cudaMalloc(&address, 64) == kInitialization ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  device_memory(64);
}

void peers_are_enabled_once() {
  int can = -1;
  EXPECT(kSuccess, cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  EXPECT(kPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  EXPECT(kSuccess, cudaDeviceEnablePeerAccess(1, 0));
  EXPECT(kPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  EXPECT(kInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
}

template <typename T>
T field(const std::vector<char>& properties, size_t offset) {
  T value;
  std::memcpy(&value, properties.data() + offset, sizeof value);
  return value;
}

// Offsets as the compiler gives them for the headers of CUDA 12.8 and 13.2.
void properties_stand_where_the_headers_put_them() {
  constexpr bool kNew = MAYA_CUDA_MAJOR >= 13;
  std::vector<char> properties(2048, char(0x5a));
#if MAYA_CUDA_MAJOR >= 13
  EXPECT(kSuccess, cudaGetDeviceProperties(properties.data(), 0));
#else
  EXPECT(kSuccess, cudaGetDeviceProperties_v2(properties.data(), 0));
#endif
  CHECK(std::strcmp(properties.data(), "NVIDIA H100 80GB HBM3") == 0);
  CHECK(field<int>(properties, 360) == 9);
  CHECK(field<int>(properties, kNew ? 384 : 388) == 132);
  CHECK(field<int>(properties, kNew ? 396 : 408) == 131072);
  CHECK(field<size_t>(properties, kNew ? 552 : 568) == 512);
  CHECK(field<int>(properties, kNew ? 596 : 616) == 52428800);
  CHECK(field<size_t>(properties, kNew ? 672 : 696) == 232448);
  CHECK(field<int>(properties, kNew ? 748 : 772) == 1);
  CHECK(properties[kNew ? 1008 : 1032] == 0x5a);
}

void host_memory_has_both_addresses() {
  void* host = nullptr;
  EXPECT(kSuccess, cudaHostAlloc(&host, 4096, 1));
  std::memset(host, 1, 4096);
  char attributes[128] = {};
  EXPECT(kSuccess, cudaPointerGetAttributes(attributes, host));
  CHECK(*reinterpret_cast<int*>(attributes) == 1);
  int local = 0;
  EXPECT(kSuccess, cudaPointerGetAttributes(attributes, &local));
  CHECK(*reinterpret_cast<int*>(attributes) == 0);
  EXPECT(kSuccess, cudaPointerGetAttributes(attributes, device_memory(64)));
  CHECK(*reinterpret_cast<int*>(attributes) == 2);
  EXPECT(kSuccess, cudaFreeHost(host));
  EXPECT(kInvalidValue, cudaFreeHost(host));
}

void a_terabyte_of_traffic_commits_nothing() {
  void* a = device_memory(60 * kGiB);
  for (int i = 0; i < 20; ++i) EXPECT(kSuccess, cudaMemset(a, i, 60 * kGiB));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"a_full_device_refuses_and_recovers", a_full_device_refuses_and_recovers},
          {"small_allocations_share_pages", small_allocations_share_pages},
          {"host_values_survive_and_unknown_ones_are_zero", host_values_survive_and_unknown_ones_are_zero},
          {"freed_memory_comes_back_without_values", freed_memory_comes_back_without_values},
          {"wrong_handles_and_directions_are_refused", wrong_handles_and_directions_are_refused},
          {"the_current_device_belongs_to_the_thread", the_current_device_belongs_to_the_thread},
          {"limits_belong_to_the_device", limits_belong_to_the_device},
          {"events_measure_only_what_was_recorded", events_measure_only_what_was_recorded},
          {"callbacks_run_in_order", callbacks_run_in_order},
          {"capture_makes_a_graph_with_its_dependencies", capture_makes_a_graph_with_its_dependencies},
          {"waiting_inside_a_capture_spoils_it", waiting_inside_a_capture_spoils_it},
          {"the_legacy_stream_spoils_captures_that_wait_for_it",
           the_legacy_stream_spoils_captures_that_wait_for_it},
          {"a_forked_child_cannot_use_the_device", a_forked_child_cannot_use_the_device},
          {"peers_are_enabled_once", peers_are_enabled_once},
          {"properties_stand_where_the_headers_put_them", properties_stand_where_the_headers_put_them},
          {"host_memory_has_both_addresses", host_memory_has_both_addresses},
          {"a_terabyte_of_traffic_commits_nothing", a_terabyte_of_traffic_commits_nothing},
      },
      count, arguments);
}
