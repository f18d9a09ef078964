// Reading and changing the parameters of a graph's nodes.
#include "copies.h"
#include "graph_nodes.h"
#include "memsets.h"

using namespace maya;
using namespace maya::driver;

namespace {

template <typename T>
int give(void* handle, NodeType type, void* params) {
  if (int status = require_driver()) return status;
  const Node* node = find_node(handle);
  const T* known = node && params ? kept<T>(*node, type) : nullptr;
  if (!known) return kInvalidValue;
  *static_cast<T*>(params) = *known;
  return kSuccess;
}

// Records the changed work in a graph of its own and takes the definition from there.
template <typename Submit>
int redefine(void* handle, NodeType type, Submit submit) {
  if (int status = require_context()) return status;
  Node* node = find_node(handle);
  if (!node || node->type != type) return kInvalidValue;
  Graph* scratch = create_graph();
  NodeStream collector(*scratch, {});
  const int status = submit(collector.stream());
  if (const Node* made = collector.node(); status == kSuccess && made) {
    node->definition = made->definition;
    node->effects = made->effects;
  }
  destroy_graph(scratch);
  return status;
}

int set_kernel(void* handle, const KernelNode& params) {
  const int status =
      redefine(handle, NodeType::kernel, [&](Stream& stream) { return submit_kernel(params, stream); });
  if (status != kSuccess) return status;
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = params.grid[axis];
    shape.block[axis] = params.block[axis];
  }
  shape.shared_bytes = params.shared_bytes;
  Function* function = find_function(params.function ? params.function : params.kernel);
  keep_kernel(*find_node(handle), *function, shape, params.arguments, params.extra);
  return kSuccess;
}

int event_of(void* handle, NodeType type, void** event) {
  return give<void*>(handle, type, event);
}

int set_event(void* handle, NodeType type, void* event) {
  if (int status = require_driver()) return status;
  Node* node = find_node(handle);
  if (!node || node->type != type) return kInvalidValue;
  if (!find_event(event)) return kInvalidHandle;
  keep(*node, event);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuGraphKernelNodeGetParams_v2(void* handle, void* params) {
  if (int status = require_driver()) return status;
  Node* node = find_node(handle);
  const KernelNode* known = node ? kept_kernel(*node) : nullptr;
  if (!known || !params) return kInvalidValue;
  *static_cast<KernelNode*>(params) = *known;
  return kSuccess;
}

int cuGraphKernelNodeGetParams(void* handle, void* params) {
  KernelNode wide{};
  if (int status = cuGraphKernelNodeGetParams_v2(handle, &wide)) return status;
  if (!params) return kInvalidValue;
  *static_cast<KernelNodeV1*>(params) = wide;
  return kSuccess;
}

int cuGraphKernelNodeSetParams_v2(void* node, const void* params) {
  return params ? set_kernel(node, *static_cast<const KernelNode*>(params)) : kInvalidValue;
}

int cuGraphKernelNodeSetParams(void* node, const void* params) {
  if (!params) return kInvalidValue;
  KernelNode wide{};
  static_cast<KernelNodeV1&>(wide) = *static_cast<const KernelNodeV1*>(params);
  return set_kernel(node, wide);
}

int cuGraphMemcpyNodeGetParams(void* node, void* params) {
  return give<Copy3d>(node, NodeType::memcpy, params);
}
int cuGraphMemsetNodeGetParams(void* node, void* params) {
  return give<MemsetNode>(node, NodeType::memset, params);
}
int cuGraphHostNodeGetParams(void* node, void* params) {
  return give<HostNode>(node, NodeType::host, params);
}

int cuGraphMemcpyNodeSetParams(void* node, const void* params) {
  if (!params) return kInvalidValue;
  const auto& copy = *static_cast<const Copy3d*>(params);
  const int status =
      redefine(node, NodeType::memcpy, [&](Stream& stream) { return copy_3d_onto(copy, stream, false); });
  if (status == kSuccess) keep(*find_node(node), copy);
  return status;
}

int cuGraphMemsetNodeSetParams(void* node, const void* params) {
  if (!params) return kInvalidValue;
  const auto& memset = *static_cast<const MemsetNode*>(params);
  const int status =
      redefine(node, NodeType::memset, [&](Stream& stream) { return memset_2d_onto(memset, stream); });
  if (status == kSuccess) keep(*find_node(node), memset);
  return status;
}

int cuGraphHostNodeSetParams(void* handle, const void* params) {
  if (int status = require_driver()) return status;
  Node* node = find_node(handle);
  if (!node || !params || node->type != NodeType::host) return kInvalidValue;
  keep(*node, *static_cast<const HostNode*>(params));
  return kSuccess;
}

int cuGraphEventRecordNodeGetEvent(void* node, void** event) {
  return event_of(node, NodeType::event_record, event);
}
int cuGraphEventWaitNodeGetEvent(void* node, void** event) {
  return event_of(node, NodeType::wait_event, event);
}
int cuGraphEventRecordNodeSetEvent(void* node, void* event) {
  return set_event(node, NodeType::event_record, event);
}
int cuGraphEventWaitNodeSetEvent(void* node, void* event) {
  return set_event(node, NodeType::wait_event, event);
}

int cuGraphChildGraphNodeGetGraph(void* handle, void** graph) {
  if (int status = require_driver()) return status;
  const Node* node = find_node(handle);
  if (!node || !graph || node->type != NodeType::graph) return kInvalidValue;
  *graph = node->child;
  return kSuccess;
}

}  // extern "C"
