// Modules, launches, occupancy, streams, events and graphs.
#include <vector>

#include "check.h"

namespace {

// Two kernels: scale(float* x, float by, int n) and bare().
constexpr char kPtx[] = R"(.version 8.0
.target sm_80
.address_size 64

.visible .global .align 4 .b8 table[64];

.visible .entry scale(
  .param .u64 scale_param_0,
  .param .f32 scale_param_1,
  .param .u32 scale_param_2
)
.maxntid 256, 1, 1
{
  ret;
}

.visible .entry bare()
{
  ret;
}
)";

struct Loaded {
  void *module = nullptr, *scale = nullptr, *bare = nullptr;
};

Loaded load() {
  start_on_device(0);
  Loaded loaded;
  EXPECT(kSuccess, cuModuleLoadData(&loaded.module, kPtx));
  EXPECT(kSuccess, cuModuleGetFunction(&loaded.scale, loaded.module, "scale"));
  EXPECT(kSuccess, cuModuleGetFunction(&loaded.bare, loaded.module, "bare"));
  return loaded;
}

void modules_hold_kernels_and_variables() {
  const Loaded loaded = load();
  void *none = nullptr, *module = nullptr;
  DevicePtr address = 0;
  size_t bytes = 0, offset = 0, count = 0;
  int value = 0;
  const char* name = nullptr;
  EXPECT(kNotFound, cuModuleGetFunction(&none, loaded.module, "missing"));
  EXPECT(kInvalidHandle, cuModuleGetFunction(&none, &value, "scale"));
  EXPECT(kNoBinaryForGpu, cuModuleLoadData(&module, "not an image"));
  EXPECT(kFileNotFound, cuModuleLoad(&module, "/nonexistent.cubin"));
  EXPECT(kSuccess, cuModuleGetGlobal_v2(&address, &bytes, loaded.module, "table"));
  CHECK(address && bytes == 64);
  EXPECT(kNotFound, cuModuleGetGlobal_v2(&address, &bytes, loaded.module, "missing"));
  EXPECT(kSuccess, cuFuncGetName(&name, loaded.scale));
  CHECK(std::strcmp(name, "scale") == 0);
  EXPECT(kSuccess, cuFuncGetAttribute(&value, kMaxThreadsPerBlock, loaded.scale));
  CHECK(value == 256);
  EXPECT(kSuccess, cuFuncGetParamInfo(loaded.scale, 2, &offset, &bytes));
  CHECK(offset == 12 && bytes == 4);
  EXPECT(kInvalidValue, cuFuncGetParamInfo(loaded.scale, 3, &offset, &bytes));
  EXPECT(kSuccess, cuFuncGetParamCount(loaded.bare, &count));
  CHECK(count == 0);
  EXPECT(kInvalidValue, cuFuncSetAttribute(loaded.scale, kMaxDynamicShared, 1 << 20));
  EXPECT(kSuccess, cuFuncSetAttribute(loaded.scale, kMaxDynamicShared, 100000));
  EXPECT(kInvalidValue, cuFuncSetAttribute(loaded.scale, kRegisters, 1));
  EXPECT(kSuccess, cuModuleUnload(loaded.module));
  EXPECT(kInvalidHandle, cuModuleUnload(loaded.module));
  EXPECT(kInvalidHandle, cuFuncGetAttribute(&value, kRegisters, loaded.scale));
}

void libraries_need_no_context() {
  EXPECT(kSuccess, cuInit(0));
  void *library = nullptr, *kernel = nullptr, *function = nullptr;
  unsigned count = 0;
  EXPECT(kSuccess, cuLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT(kSuccess, cuLibraryGetKernelCount(&count, library));
  CHECK(count == 2);
  EXPECT(kSuccess, cuLibraryGetKernel(&kernel, library, "scale"));
  EXPECT(kInvalidContext, cuKernelGetFunction(&function, kernel));
  start_on_device(0);
  EXPECT(kSuccess, cuKernelGetFunction(&function, kernel));
  EXPECT(kSuccess, cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                  std::vector<void*>{&library, &count, &count}.data(), nullptr));
  EXPECT(kSuccess, cuLibraryUnload(library));
}

void launch(void* function, DevicePtr x, float by, int n, void* stream) {
  void* arguments[] = {&x, &by, &n};
  EXPECT(kSuccess, cuLaunchKernel(function, 7, 2, 1, 64, 1, 1, 128, stream, arguments, nullptr));
}

void launches_are_recorded_with_their_parameters() {
  const Loaded loaded = load();
  const DevicePtr x = allocate(4096);
  launch(loaded.scale, x, 2.5f, 1000, nullptr);
  // The same parameters as one buffer.
  struct {
    DevicePtr x;
    float by;
    int n;
  } packed{x, 2.5f, 1000};
  size_t bytes = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &bytes, nullptr};
  EXPECT(kSuccess, cuLaunchKernel(loaded.scale, 7, 2, 1, 64, 1, 1, 128, nullptr, nullptr, extra));
  // A cluster, programmatic serialisation and a cooperative grid.
  LaunchAttribute attributes[3] = {};
  attributes[0].id = kAttributeClusterDimension;
  attributes[0].value.dimension[0] = 2;
  attributes[0].value.dimension[1] = attributes[0].value.dimension[2] = 1;
  attributes[1].id = kAttributeProgrammaticSerialization;
  attributes[1].value.number = 1;
  attributes[2].id = kAttributeCooperative;
  attributes[2].value.number = 1;
  LaunchConfig config{{8, 1, 1}, {32, 1, 1}, 0, nullptr, attributes, 3};
  EXPECT(kSuccess, cuLaunchKernelEx(&config, loaded.bare, nullptr, nullptr));
  EXPECT(kSuccess, cuCtxSynchronize());
}

// Two pieces that were mapped side by side are one memory, as PyTorch's expandable segments are.
DevicePtr map_two_pages() {
  constexpr size_t kPage = size_t{2} << 20;
  AllocationProperties properties{};
  properties.type = 1, properties.location = {kLocationDevice, 0};
  DevicePtr range = 0;
  EXPECT(kSuccess, cuMemAddressReserve(&range, 4 * kPage, 0, 0, 0));
  for (size_t i : {0, 1}) {
    unsigned long long handle = 0;
    EXPECT(kSuccess, cuMemCreate(&handle, kPage, &properties, 0));
    EXPECT(kSuccess, cuMemMap(range + i * kPage, kPage, 0, handle, 0));
  }
  return range;
}

void launches_tell_how_far_their_addresses_reach() {
  const Loaded loaded = load();
  const DevicePtr x = allocate(4096);
  launch(loaded.scale, x + 1024, 1, 1, nullptr);
  launch(loaded.scale, x + 2048, 1, 1, nullptr);
  launch(loaded.scale, map_two_pages() + 512, 2, 2, nullptr);
}

void wrong_launches_are_refused() {
  const Loaded loaded = load();
  DevicePtr x = allocate(64);
  float by = 1;
  int n = 1;
  void* arguments[] = {&x, &by, &n};
  EXPECT(kInvalidHandle, cuLaunchKernel(&n, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT(kInvalidHandle, cuLaunchKernel(loaded.scale, 1, 1, 1, 1, 1, 1, 0, &n, arguments, nullptr));
  EXPECT(kInvalidValue, cuLaunchKernel(loaded.scale, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT(kInvalidValue, cuLaunchKernel(loaded.scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT(kInvalidValue, cuLaunchKernel(loaded.scale, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT(kInvalidValue, cuLaunchKernel(loaded.bare, 1, 1, 1, 1, 1, 1, 100000, nullptr, nullptr, nullptr));
  EXPECT(kLaunchOutOfResources,
         cuLaunchKernel(loaded.scale, 1, 1, 1, 512, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT(kCooperativeLaunchTooLarge,
         cuLaunchCooperativeKernel(loaded.bare, 1 << 20, 1, 1, 256, 1, 1, 0, nullptr, nullptr));
  LaunchAttribute cluster = {};
  cluster.id = kAttributeClusterDimension;
  cluster.value.dimension[0] = 3, cluster.value.dimension[1] = cluster.value.dimension[2] = 1;
  LaunchConfig config{{8, 1, 1}, {32, 1, 1}, 0, nullptr, &cluster, 1};
  EXPECT(kInvalidClusterSize, cuLaunchKernelEx(&config, loaded.bare, nullptr, nullptr));
}

void occupancy_follows_the_device() {
  const Loaded loaded = load();
  int blocks = 0, grid = 0, block = 0;
  size_t bytes = 0;
  EXPECT(kSuccess, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, loaded.bare, 1024, 0));
  CHECK(blocks == 2);
  EXPECT(kSuccess, cuOccupancyMaxPotentialBlockSize(&grid, &block, loaded.scale, nullptr, 0, 0));
  CHECK(block == 256 && grid == 8 * 132);
  EXPECT(kSuccess, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, loaded.bare, 2, 256));
  CHECK(bytes == 233472 / 2 - 1024);
  EXPECT(kInvalidHandle, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &grid, 1024, 0));
}

void streams_and_events_keep_order() {
  start_on_device(0);
  void *stream = nullptr, *event = nullptr, *other = nullptr, *context = nullptr, *current = nullptr;
  int priority = 0;
  unsigned flags = 0;
  float milliseconds = -1;
  EXPECT(kInvalidValue, cuStreamCreate(&stream, 9));
  EXPECT(kSuccess, cuStreamCreateWithPriority(&stream, 1, -100));
  EXPECT(kSuccess, cuStreamGetPriority(stream, &priority));
  CHECK(priority == -5);
  EXPECT(kSuccess, cuStreamGetFlags(stream, &flags));
  CHECK(flags == 1);
  EXPECT(kSuccess, cuStreamGetCtx(stream, &context));
  EXPECT(kSuccess, cuCtxGetCurrent(&current));
  CHECK(context == current);
  EXPECT(kSuccess, cuEventCreate(&event, 0));
  EXPECT(kSuccess, cuEventCreate(&other, 0));
  EXPECT(kInvalidHandle, cuEventElapsedTime(&milliseconds, event, other));
  EXPECT(kSuccess, cuEventRecord(event, stream));
  EXPECT(kSuccess, cuStreamWaitEvent(nullptr, event, 0));
  EXPECT(kSuccess, cuEventRecord(other, nullptr));
  EXPECT(kSuccess, cuEventElapsedTime(&milliseconds, event, other));
  CHECK(milliseconds >= 0);
  int called = 0;
  auto count = [](void* number) { ++*static_cast<int*>(number); };
  EXPECT(kSuccess, cuLaunchHostFunc(stream, reinterpret_cast<void*>(+count), &called));
  EXPECT(kSuccess, cuStreamSynchronize(stream));
  CHECK(called == 1);
  EXPECT(kSuccess, cuEventDestroy_v2(event));
  EXPECT(kInvalidHandle, cuEventQuery(event));
  EXPECT(kSuccess, cuStreamDestroy_v2(stream));
  EXPECT(kInvalidHandle, cuStreamQuery(stream));
}

void captured_graphs_are_launched() {
  const Loaded loaded = load();
  void *stream = nullptr, *graph = nullptr, *exec = nullptr;
  const DevicePtr x = allocate(4096);
  size_t count = 0;
  int state = 0, type = -1;
  EXPECT(kStreamCaptureUnsupported, cuStreamBeginCapture_v2(nullptr, 0));
  EXPECT(kSuccess, cuStreamCreate(&stream, 1));
  EXPECT(kIllegalState, cuStreamEndCapture(stream, &graph));
  EXPECT(kSuccess, cuStreamBeginCapture_v2(stream, 0));
  EXPECT(kSuccess, cuStreamIsCapturing(stream, &state));
  CHECK(state == 1);
  launch(loaded.scale, x, 1.5f, 10, stream);
  EXPECT(kSuccess, cuMemsetD8Async(x, 1, 4096, stream));
  DevicePtr refused = 0;
  EXPECT(kStreamCaptureUnsupported, cuMemAlloc_v2(&refused, 16));
  EXPECT(kSuccess, cuStreamEndCapture(stream, &graph));
  EXPECT(kSuccess, cuGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 2);
  void* nodes[2];
  EXPECT(kSuccess, cuGraphGetNodes(graph, nodes, &count));
  EXPECT(kSuccess, cuGraphNodeGetType(nodes[1], &type));
  CHECK(type == 2);
  KernelNode params{};
  EXPECT(kSuccess, cuGraphKernelNodeGetParams_v2(nodes[0], &params));
  CHECK(params.function == loaded.scale && params.grid[0] == 7 &&
        *static_cast<int*>(params.arguments[2]) == 10);
  EXPECT(kSuccess, cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cuGraphDestroy(graph));
  EXPECT(kSuccess, cuGraphLaunch(exec, stream));
  EXPECT(kSuccess, cuGraphLaunch(exec, stream));
  EXPECT(kSuccess, cuGraphExecDestroy(exec));
  EXPECT(kInvalidValue, cuGraphLaunch(exec, stream));
}

void synchronising_spoils_a_capture() {
  start_on_device(0);
  void *stream = nullptr, *graph = nullptr;
  EXPECT(kSuccess, cuStreamCreate(&stream, 1));
  EXPECT(kSuccess, cuStreamBeginCapture_v2(stream, 1));
  EXPECT(kStreamCaptureUnsupported, cuStreamSynchronize(stream));
  EXPECT(kStreamCaptureInvalidated, cuStreamEndCapture(stream, &graph));
}

void built_graphs_are_launched() {
  const Loaded loaded = load();
  DevicePtr x = allocate(4096);
  float by = 3;
  int n = 20, called = 0;
  void* arguments[] = {&x, &by, &n};
  void *graph = nullptr, *outer = nullptr, *kernel = nullptr, *host = nullptr, *child = nullptr,
       *exec = nullptr;
  EXPECT(kSuccess, cuGraphCreate(&graph, 0));
  KernelNode params{};
  params.function = loaded.scale, params.arguments = arguments;
  params.grid[0] = params.grid[1] = params.grid[2] = params.block[1] = params.block[2] = 1,
  params.block[0] = 96;
  EXPECT(kSuccess, cuGraphAddKernelNode_v2(&kernel, graph, nullptr, 0, &params));
  auto count = [](void* number) { ++*static_cast<int*>(number); };
  HostNode call{reinterpret_cast<void*>(+count), &called};
  EXPECT(kSuccess, cuGraphAddHostNode(&host, graph, &kernel, 1, &call));
  EXPECT(kSuccess, cuGraphCreate(&outer, 0));
  EXPECT(kSuccess, cuGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  EXPECT(kSuccess, cuGraphInstantiateWithFlags(&exec, outer, 0));
  EXPECT(kSuccess, cuGraphLaunch(exec, nullptr));
  CHECK(called == 1);
  EXPECT(kInvalidValue, cuGraphAddKernelNode_v2(&kernel, outer, &host, 1, &params));
}

void a_child_of_an_executable_graph_changes() {
  const Loaded loaded = load();
  int called = 0, instead = 0;
  void *outer = nullptr, *before = nullptr, *child = nullptr, *exec = nullptr, *node = nullptr,
       *last = nullptr;
  auto count = [](void* number) { ++*static_cast<int*>(number); };
  auto graph_of = [&](int* number, int calls) {
    void *graph = nullptr, *call = nullptr;
    EXPECT(kSuccess, cuGraphCreate(&graph, 0));
    HostNode host{reinterpret_cast<void*>(+count), number};
    for (int i = 0; i < calls; ++i) EXPECT(kSuccess, cuGraphAddHostNode(&call, graph, nullptr, 0, &host));
    return graph;
  };
  EXPECT(kSuccess, cuGraphCreate(&outer, 0));
  EXPECT(kSuccess, cuGraphAddChildGraphNode(&before, outer, nullptr, 0, graph_of(&called, 3)));
  EXPECT(kSuccess, cuGraphAddChildGraphNode(&child, outer, &before, 1, graph_of(&called, 2)));
  KernelNode params{};
  params.function = loaded.bare;
  params.grid[0] = params.grid[1] = params.grid[2] = params.block[1] = params.block[2] = 1,
  params.block[0] = 32;
  EXPECT(kSuccess, cuGraphAddKernelNode_v2(&last, outer, &child, 1, &params));
  EXPECT(kSuccess, cuGraphInstantiateWithFlags(&exec, outer, 0));
  EXPECT(kSuccess, cuGraphExecChildGraphNodeSetParams(exec, child, graph_of(&instead, 2)));
  EXPECT(kSuccess, cuGraphLaunch(exec, nullptr));
  CHECK(called == 3 && instead == 2);
  // Behind the nodes of both children, not at its own number.
  params.grid[0] = 6;
  EXPECT(kSuccess, cuGraphExecKernelNodeSetParams_v2(exec, last, &params));
  EXPECT(kInvalidValue, cuGraphExecChildGraphNodeSetParams(exec, child, graph_of(&instead, 1)));
  EXPECT(kInvalidValue, cuGraphExecChildGraphNodeSetParams(exec, node, graph_of(&instead, 2)));
}

void nodes_of_an_executable_graph_change() {
  const Loaded loaded = load();
  void *graph = nullptr, *node = nullptr, *exec = nullptr, *other = nullptr;
  EXPECT(kSuccess, cuGraphCreate(&graph, 0));
  KernelNode params{};
  params.function = loaded.bare;
  params.grid[0] = 5, params.grid[1] = params.grid[2] = params.block[1] = params.block[2] = 1,
  params.block[0] = 32;
  EXPECT(kSuccess, cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  EXPECT(kSuccess, cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT(kSuccess, cuGraphLaunch(exec, nullptr));
  params.grid[0] = 6;
  EXPECT(kSuccess, cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
  EXPECT(kSuccess, cuGraphLaunch(exec, nullptr));
  UpdateResult result{};
  EXPECT(kSuccess, cuGraphExecUpdate_v2(exec, graph, &result));
  EXPECT(kSuccess, cuGraphCreate(&other, 0));
  EXPECT(kGraphExecUpdateFailure, cuGraphExecUpdate_v2(exec, other, &result));
  CHECK(result.result == 2);
}

void tensor_maps_are_deterministic() {
  start_on_device(0);
  alignas(64) char first[128], second[128];
  const unsigned long dims[] = {1024, 512}, strides[] = {2048};
  const unsigned box[] = {64, 128}, steps[] = {1, 1};
  void* x = reinterpret_cast<void*>(allocate(1 << 20));
  EXPECT(kSuccess, cuTensorMapEncodeTiled(first, 6, 2, x, dims, strides, box, steps, 0, 3, 2, 0));
  EXPECT(kSuccess, cuTensorMapEncodeTiled(second, 6, 2, x, dims, strides, box, steps, 0, 3, 2, 0));
  CHECK(std::memcmp(first, second, 128) == 0);
  const unsigned wide[] = {512, 128};
  EXPECT(kInvalidValue, cuTensorMapEncodeTiled(first, 6, 2, x, dims, strides, wide, steps, 0, 3, 2, 0));
  EXPECT(kInvalidValue, cuTensorMapEncodeTiled(first, 6, 6, x, dims, strides, box, steps, 0, 3, 2, 0));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"modules_hold_kernels_and_variables", modules_hold_kernels_and_variables},
          {"libraries_need_no_context", libraries_need_no_context},
          {"launches_are_recorded_with_their_parameters", launches_are_recorded_with_their_parameters},
          {"launches_tell_how_far_their_addresses_reach", launches_tell_how_far_their_addresses_reach},
          {"wrong_launches_are_refused", wrong_launches_are_refused},
          {"occupancy_follows_the_device", occupancy_follows_the_device},
          {"streams_and_events_keep_order", streams_and_events_keep_order},
          {"captured_graphs_are_launched", captured_graphs_are_launched},
          {"synchronising_spoils_a_capture", synchronising_spoils_a_capture},
          {"built_graphs_are_launched", built_graphs_are_launched},
          {"a_child_of_an_executable_graph_changes", a_child_of_an_executable_graph_changes},
          {"nodes_of_an_executable_graph_change", nodes_of_an_executable_graph_change},
          {"tensor_maps_are_deterministic", tensor_maps_are_deterministic},
      },
      count, arguments);
}
