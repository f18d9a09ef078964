// Executable graphs: instantiation, launch, update.
#include <algorithm>

#include "graph_nodes.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUgraphExecUpdateResult
constexpr int kUpdateSuccess = 0;
constexpr int kTopologyChanged = 2;

// A child's nodes take the place of its node: its roots depend on what the node depended on, and what
// depended on the node depends on the child's leaves.
void flatten_into(const Graph& graph, Graph& flat, std::vector<size_t> before, std::vector<size_t>* leaves,
                  std::vector<size_t>* places = nullptr) {
  std::vector<std::vector<size_t>> ends(graph.nodes.size());
  std::vector<bool> has_dependent(graph.nodes.size(), false);
  for (const Node* node : graph.nodes) {
    if (places) places->push_back(flat.nodes.size());
    std::vector<size_t> depends_on = node->depends_on.empty() ? before : std::vector<size_t>{};
    for (size_t index : node->depends_on) {
      has_dependent[index] = true;
      depends_on.insert(depends_on.end(), ends[index].begin(), ends[index].end());
    }
    if (node->child) {
      flatten_into(*node->child, flat, depends_on, &ends[node->index]);
      continue;
    }
    Node* made = add_node(flat, node->type, node->definition, depends_on);
    made->stream = node->stream;
    made->params = node->params;
    made->effects = node->effects;
    ends[node->index].assign(1, made->index);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!has_dependent[i]) leaves->insert(leaves->end(), ends[i].begin(), ends[i].end());
  }
  if (places) places->push_back(flat.nodes.size());
}

bool has_children(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node* node) { return node->child != nullptr; });
}

// Calls `use` with the graph, or with a flat copy where it has child graphs.
template <typename Use>
auto with_flat(Graph& graph, Use use, std::vector<size_t>* places = nullptr) {
  if (!has_children(graph)) return use(graph);
  Graph* flat = create_graph();
  std::vector<size_t> leaves;
  flatten_into(graph, *flat, {}, &leaves, places);
  auto result = use(*flat);
  destroy_graph(flat);
  return result;
}

int instantiate_checked(void** exec, void* handle, uint64_t flags) {
  if (int status = require_context()) return status;
  Graph* graph = find_graph(handle);
  if (!graph || !exec) return kInvalidValue;
  std::vector<size_t> places;
  GraphExec* made = with_flat(*graph, [flags](Graph& flat) { return instantiate(flat, flags); }, &places);
  if (made) made->places = std::move(places);
  *exec = made;
  return made ? kSuccess : kOutOfMemory;
}

int update(void* exec_handle, void* graph_handle, int* result) {
  if (int status = require_driver()) return status;
  GraphExec* exec = find_exec(exec_handle);
  Graph* graph = find_graph(graph_handle);
  if (!exec || !graph) return kInvalidValue;
  const bool same = with_flat(*graph, [exec](Graph& flat) { return update_exec(*exec, flat); });
  *result = same ? kUpdateSuccess : kTopologyChanged;
  return same ? kSuccess : kGraphExecUpdateFailure;
}

// The nodes that stand for one of the graph's: none where it is another graph's.
struct Range {
  size_t first = 0;
  size_t end = 0;
};

Range range_of(const GraphExec& exec, const Node& node) {
  size_t index = node.index;
  if (exec.places.empty()) return index < exec.nodes.size() ? Range{index, index + 1} : Range{};
  return index + 1 < exec.places.size() ? Range{exec.places[index], exec.places[index + 1]} : Range{};
}

// Whether it is other work now. Addresses alone make no other work: a program that updates its graphs before
// each launch still repeats itself.
bool take_over(Node& target, const Node& from) {
  bool other = target.definition != from.definition;
  target.definition = from.definition;
  target.params = from.params;
  target.effects = from.effects;
  return other;
}

// Nodes are written down anew, under a number that no graph has had.
void renew(GraphExec& exec, const Graph& scratch) {
  exec.id = scratch.id;
  exec.defined = false;
}

// Each node of a child graph in an executable one becomes that of another child of the same form.
int change_child(GraphExec& exec, const Node& node, const Graph& child) {
  Range range = range_of(exec, node);
  Graph* flat = create_graph();
  std::vector<size_t> leaves;
  flatten_into(child, *flat, {}, &leaves);
  bool same = flat->nodes.size() == range.end - range.first;
  for (size_t i = 0; same && i < flat->nodes.size(); ++i) {
    same = flat->nodes[i]->type == exec.nodes[range.first + i].type;
  }
  bool other = false;
  for (size_t i = 0; same && i < flat->nodes.size(); ++i) {
    other |= take_over(exec.nodes[range.first + i], *flat->nodes[i]);
  }
  if (other) renew(exec, *flat);
  destroy_graph(flat);
  return same ? kSuccess : kInvalidValue;
}

// Changes one node of an executable graph through a copy of the graph's node.
template <typename Set>
int change_node(void* exec_handle, void* node_handle, Set set) {
  if (int status = require_driver()) return status;
  GraphExec* exec = find_exec(exec_handle);
  Node* node = find_node(node_handle);
  if (!exec || !node) return kInvalidValue;
  Range range = range_of(*exec, *node);
  if (range.end != range.first + 1) return kInvalidValue;
  Node& target = exec->nodes[range.first];
  if (target.type != node->type) return kInvalidValue;
  Graph* scratch = create_graph();
  Node* stand_in = add_node(*scratch, target.type, target.definition, {});
  const int status = set(stand_in);
  if (status == kSuccess) {
    if (take_over(target, *stand_in)) renew(*exec, *scratch);
  }
  destroy_graph(scratch);
  return status;
}

}  // namespace

extern "C" {

int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long flags) {
  return instantiate_checked(exec, graph, flags);
}

int cuGraphInstantiate_v2(void** exec, void* graph, void** error_node, char* log, size_t log_bytes) {
  if (error_node) *error_node = nullptr;
  if (log && log_bytes) *log = '\0';
  return instantiate_checked(exec, graph, 0);
}

int cuGraphInstantiate(void** exec, void* graph, void** error_node, char* log, size_t log_bytes) {
  return cuGraphInstantiate_v2(exec, graph, error_node, log, log_bytes);
}

int cuGraphInstantiateWithParams(void** exec, void* graph, void* params) {
  if (!params) return kInvalidValue;
  auto& given = *static_cast<InstantiateParams*>(params);
  const int status = instantiate_checked(exec, graph, given.flags);
  given.error_node = nullptr;
  given.result = status == kSuccess ? 0 : 1;
  return status;
}

int cuGraphExecDestroy(void* exec) {
  if (int status = require_driver()) return status;
  return destroy_exec(exec) ? kSuccess : kInvalidValue;
}

int cuGraphExecChildGraphNodeSetParams(void* exec_handle, void* node_handle, void* child_handle) {
  if (int status = require_driver()) return status;
  GraphExec* exec = find_exec(exec_handle);
  const Node* node = find_node(node_handle);
  const Graph* child = find_graph(child_handle);
  if (!exec || !node || !node->child || !child) return kInvalidValue;
  return change_child(*exec, *node, *child);
}

int cuGraphExecGetFlags(void* handle, unsigned long* flags) {
  if (int status = require_driver()) return status;
  const GraphExec* exec = find_exec(handle);
  if (!exec || !flags) return kInvalidValue;
  *flags = exec->flags;
  return kSuccess;
}

int cuGraphExecGetId(void* handle, unsigned int* id) {
  if (int status = require_driver()) return status;
  const GraphExec* exec = find_exec(handle);
  if (!exec || !id) return kInvalidValue;
  *id = static_cast<unsigned>(exec->id);
  return kSuccess;
}

int cuGraphUpload(void* handle, void* stream_handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  return find_exec(handle) ? kSuccess : kInvalidValue;
}

int cuGraphLaunch(void* handle, void* stream_handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  GraphExec* exec = find_exec(handle);
  if (!exec) return kInvalidValue;
  Call call;
  launch_graph(*exec, *stream);
  return kSuccess;
}

int cuGraphExecUpdate_v2(void* exec, void* graph, void* result) {
  if (!result) return kInvalidValue;
  auto& answer = *static_cast<UpdateResult*>(result);
  answer = {};
  return update(exec, graph, &answer.result);
}

int cuGraphExecUpdate(void* exec, void* graph, void** error_node, int* result) {
  if (!result) return kInvalidValue;
  if (error_node) *error_node = nullptr;
  return update(exec, graph, result);
}

int cuGraphExecKernelNodeSetParams_v2(void* exec, void* node, const void* params) {
  return change_node(exec, node,
                     [params](void* copy) { return cuGraphKernelNodeSetParams_v2(copy, params); });
}

int cuGraphExecKernelNodeSetParams(void* exec, void* node, const void* params) {
  return change_node(exec, node, [params](void* copy) { return cuGraphKernelNodeSetParams(copy, params); });
}

int cuGraphExecMemcpyNodeSetParams(void* exec, void* node, const void* params, void*) {
  return change_node(exec, node, [params](void* copy) { return cuGraphMemcpyNodeSetParams(copy, params); });
}

int cuGraphExecMemsetNodeSetParams(void* exec, void* node, const void* params, void*) {
  return change_node(exec, node, [params](void* copy) { return cuGraphMemsetNodeSetParams(copy, params); });
}

int cuGraphExecHostNodeSetParams(void* exec, void* node, const void* params) {
  return change_node(exec, node, [params](void* copy) { return cuGraphHostNodeSetParams(copy, params); });
}

int cuGraphExecEventRecordNodeSetEvent(void* exec, void* node, void* event) {
  return change_node(exec, node, [event](void* copy) { return cuGraphEventRecordNodeSetEvent(copy, event); });
}

int cuGraphExecEventWaitNodeSetEvent(void* exec, void* node, void* event) {
  return change_node(exec, node, [event](void* copy) { return cuGraphEventWaitNodeSetEvent(copy, event); });
}

}  // extern "C"
