// The forms that take any node's parameters as one tagged union, and a picture of a graph.
#include <cstdio>

#include "graph_nodes.h"

using namespace maya;
using namespace maya::driver;

namespace {

int unsupported_type() {
  static UnsupportedCall call{"graph node parameters of a memory, semaphore or conditional node", "cuda"};
  return unsupported(call, kNotSupported);
}

}  // namespace

extern "C" {

int cuGraphNodeSetParams(void* node, void* params) {
  if (!params) return kInvalidValue;
  const auto& given = *static_cast<const NodeParams*>(params);
  switch (static_cast<NodeType>(given.type)) {
    case NodeType::kernel:
      return cuGraphKernelNodeSetParams_v2(node, &given.kernel);
    case NodeType::memcpy:
      return cuGraphMemcpyNodeSetParams(node, &given.copy.copy);
    case NodeType::memset:
      return cuGraphMemsetNodeSetParams(node, &given.memset);
    case NodeType::host:
      return cuGraphHostNodeSetParams(node, &given.host);
    case NodeType::wait_event:
      return cuGraphEventWaitNodeSetEvent(node, given.handle);
    case NodeType::event_record:
      return cuGraphEventRecordNodeSetEvent(node, given.handle);
    default:
      return unsupported_type();
  }
}

int cuGraphExecNodeSetParams(void* exec, void* node, void* params) {
  if (!params) return kInvalidValue;
  const auto& given = *static_cast<const NodeParams*>(params);
  switch (static_cast<NodeType>(given.type)) {
    case NodeType::kernel:
      return cuGraphExecKernelNodeSetParams_v2(exec, node, &given.kernel);
    case NodeType::memcpy:
      return cuGraphExecMemcpyNodeSetParams(exec, node, &given.copy.copy, nullptr);
    case NodeType::memset:
      return cuGraphExecMemsetNodeSetParams(exec, node, &given.memset, nullptr);
    case NodeType::host:
      return cuGraphExecHostNodeSetParams(exec, node, &given.host);
    case NodeType::wait_event:
      return cuGraphExecEventWaitNodeSetEvent(exec, node, given.handle);
    case NodeType::event_record:
      return cuGraphExecEventRecordNodeSetEvent(exec, node, given.handle);
    default:
      return unsupported_type();
  }
}

int cuGraphNodeGetParams(void* node, void* params) {
  if (!params) return kInvalidValue;
  auto& answer = *static_cast<NodeParams*>(params);
  if (int status = cuGraphNodeGetType(node, &answer.type)) return status;
  switch (static_cast<NodeType>(answer.type)) {
    case NodeType::kernel:
      return cuGraphKernelNodeGetParams_v2(node, &answer.kernel);
    case NodeType::memcpy:
      return cuGraphMemcpyNodeGetParams(node, &answer.copy.copy);
    case NodeType::memset:
      return cuGraphMemsetNodeGetParams(node, &answer.memset);
    case NodeType::host:
      return cuGraphHostNodeGetParams(node, &answer.host);
    case NodeType::graph:
      return cuGraphChildGraphNodeGetGraph(node, &answer.handle);
    case NodeType::wait_event:
      return cuGraphEventWaitNodeGetEvent(node, &answer.handle);
    case NodeType::event_record:
      return cuGraphEventRecordNodeGetEvent(node, &answer.handle);
    case NodeType::empty:
      return kSuccess;
    default:
      return unsupported_type();
  }
}

int cuGraphDebugDotPrint(void* handle, const char* path, unsigned int) {
  if (int status = require_driver()) return status;
  const Graph* graph = find_graph(handle);
  std::FILE* file = graph && path ? std::fopen(path, "w") : nullptr;
  if (!file) return graph && path ? kOperatingSystem : kInvalidValue;
  std::fputs("digraph dot {\n", file);
  for (const Node* node : graph->nodes) {
    std::fprintf(file, "\"%zu\" [label=\"%zu: type %d\"];\n", node->index, node->index,
                 static_cast<int>(node->type));
    for (size_t before : node->depends_on) std::fprintf(file, "\"%zu\" -> \"%zu\";\n", before, node->index);
  }
  std::fputs("}\n", file);
  std::fclose(file);
  return kSuccess;
}

// Graphs own no memory here: allocation nodes are not supported.
int cuDeviceGraphMemTrim(int device) {
  return require_device(device);
}

int cuDeviceGetGraphMemAttribute(int device, int, void* value) {
  if (int status = require_device(device)) return status;
  if (!value) return kInvalidValue;
  *static_cast<uint64_t*>(value) = 0;
  return kSuccess;
}

int cuDeviceSetGraphMemAttribute(int device, int, void* value) {
  if (int status = require_device(device)) return status;
  return value ? kSuccess : kInvalidValue;
}

}  // extern "C"
