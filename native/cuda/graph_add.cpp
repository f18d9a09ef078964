// Adding nodes to a graph by hand.
#include "copies.h"
#include "graph_nodes.h"
#include "memsets.h"

using namespace maya;
using namespace maya::driver;

namespace {

struct Place {
  void** node;
  void* graph;
  void* const* dependencies;
  size_t count;
};

// `submit` puts the node's work onto the stream it is given and answers a status.
template <typename Submit>
int add_work(const Place& place, Submit submit) {
  if (int status = require_context()) return status;
  Graph* graph = find_graph(place.graph);
  std::vector<size_t> depends_on;
  if (!graph || !place.node) return kInvalidValue;
  if (!read_dependencies(*graph, place.dependencies, place.count, &depends_on)) return kInvalidValue;
  NodeStream collector(*graph, std::move(depends_on));
  if (int status = submit(collector.stream())) return status;
  *place.node = collector.node();
  return *place.node ? kSuccess : kInvalidValue;
}

// A node without device work of its own.
int add_plain(const Place& place, NodeType type, Node** made) {
  if (int status = require_driver()) return status;
  Graph* graph = find_graph(place.graph);
  std::vector<size_t> depends_on;
  if (!graph || !place.node) return kInvalidValue;
  if (!read_dependencies(*graph, place.dependencies, place.count, &depends_on)) return kInvalidValue;
  *made = add_node(*graph, type, 0, depends_on);
  *place.node = *made;
  return kSuccess;
}

int add_event(const Place& place, NodeType type, void* event) {
  if (!find_event(event)) return kInvalidHandle;
  Node* node = nullptr;
  if (int status = add_plain(place, type, &node)) return status;
  keep(*node, event);
  return kSuccess;
}

int add_kernel(const Place& place, const KernelNode& params) {
  return add_work(place, [&params](Stream& stream) { return submit_kernel(params, stream); });
}

int add_copy(const Place& place, const Copy3d& copy) {
  return add_work(place, [&copy](Stream& stream) {
    if (int status = copy_3d_onto(copy, stream, false)) return status;
    if (!stream.capture->graph->nodes.empty()) keep(*stream.capture->graph->nodes.back(), copy);
    return int{kSuccess};
  });
}

int add_memset(const Place& place, const MemsetNode& params) {
  return add_work(place, [&params](Stream& stream) {
    if (int status = memset_2d_onto(params, stream)) return status;
    if (!stream.capture->graph->nodes.empty()) keep(*stream.capture->graph->nodes.back(), params);
    return int{kSuccess};
  });
}

// The child is copied in as it is now; it is laid out flat when the graph is instantiated.
int add_child(const Place& place, void* child) {
  void* copy = nullptr;
  if (int status = cuGraphClone(&copy, child)) return status;
  Node* node = nullptr;
  if (int status = add_plain(place, NodeType::graph, &node)) return status;
  node->child = static_cast<Graph*>(copy);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuGraphAddKernelNode(void** node, void* graph, void* const* dependencies, size_t count,
                         const void* params) {
  if (!params) return kInvalidValue;
  KernelNode wide{};
  static_cast<KernelNodeV1&>(wide) = *static_cast<const KernelNodeV1*>(params);
  return add_kernel({node, graph, dependencies, count}, wide);
}

int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* dependencies, size_t count,
                            const void* params) {
  if (!params) return kInvalidValue;
  return add_kernel({node, graph, dependencies, count}, *static_cast<const KernelNode*>(params));
}

int cuGraphAddMemcpyNode(void** node, void* graph, void* const* dependencies, size_t count, const void* copy,
                         void*) {
  if (!copy) return kInvalidValue;
  return add_copy({node, graph, dependencies, count}, *static_cast<const Copy3d*>(copy));
}

int cuGraphAddMemsetNode(void** node, void* graph, void* const* dependencies, size_t count,
                         const void* params, void*) {
  if (!params) return kInvalidValue;
  return add_memset({node, graph, dependencies, count}, *static_cast<const MemsetNode*>(params));
}

int cuGraphAddHostNode(void** node, void* graph, void* const* dependencies, size_t count,
                       const void* params) {
  if (!params) return kInvalidValue;
  const HostNode host = *static_cast<const HostNode*>(params);
  return add_work({node, graph, dependencies, count},
                  [&](Stream& stream) { return submit_host(host, stream); });
}

int cuGraphAddEmptyNode(void** node, void* graph, void* const* dependencies, size_t count) {
  Node* made = nullptr;
  return add_plain({node, graph, dependencies, count}, NodeType::empty, &made);
}

int cuGraphAddEventRecordNode(void** node, void* graph, void* const* dependencies, size_t count,
                              void* event) {
  return add_event({node, graph, dependencies, count}, NodeType::event_record, event);
}

int cuGraphAddEventWaitNode(void** node, void* graph, void* const* dependencies, size_t count, void* event) {
  return add_event({node, graph, dependencies, count}, NodeType::wait_event, event);
}

int cuGraphAddChildGraphNode(void** node, void* graph, void* const* dependencies, size_t count, void* child) {
  return add_child({node, graph, dependencies, count}, child);
}

int cuGraphAddNode(void** node, void* graph, void* const* dependencies, size_t count, void* params) {
  if (!params) return kInvalidValue;
  const auto& given = *static_cast<const NodeParams*>(params);
  const Place place{node, graph, dependencies, count};
  switch (static_cast<NodeType>(given.type)) {
    case NodeType::kernel:
      return add_kernel(place, given.kernel);
    case NodeType::memcpy:
      return add_copy(place, given.copy.copy);
    case NodeType::memset:
      return add_memset(place, given.memset);
    case NodeType::host:
      return cuGraphAddHostNode(node, graph, dependencies, count, &given.host);
    case NodeType::graph:
      return add_child(place, given.handle);
    case NodeType::empty:
      return cuGraphAddEmptyNode(node, graph, dependencies, count);
    case NodeType::wait_event:
    case NodeType::event_record:
      return add_event(place, static_cast<NodeType>(given.type), given.handle);
    default:
      break;
  }
  static UnsupportedCall call{"cuGraphAddNode of a memory, semaphore or conditional node", "cuda"};
  return unsupported(call, kNotSupported);
}

}  // extern "C"
