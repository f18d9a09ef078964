#include "maya/graph.h"

#include <cstdio>

#include "gen/cudart.h"
#include "status.h"

using namespace maya;

namespace {

bool indices_of(void* const* nodes, size_t count, std::vector<size_t>* indices) {
  for (size_t i = 0; i < count; ++i) {
    Node* node = find_node(nodes[i]);
    if (!node) return false;
    indices->push_back(node->index);
  }
  return true;
}

int instantiate_graph(void** exec, void* handle, uint64_t flags) {
  if (int error = ready()) return fail(error);
  Graph* graph = find_graph(handle);
  if (!exec || !graph) return fail(kInvalidValue);
  *exec = instantiate(*graph, flags);
  return kSuccess;
}

int launch_on(void* exec, void* stream, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(stream, per_thread);
  if (!on.stream) return on.error;
  GraphExec* found = find_exec(exec);
  if (!found) return fail(kInvalidValue);
  launch_graph(*found, *on.stream);
  return kSuccess;
}

int dependencies_of(void* handle, void** nodes, size_t* count) {
  Node* node = find_node(handle);
  if (!node || !count) return fail(kInvalidValue);
  size_t room = nodes ? *count : 0;
  for (size_t i = 0; i < room && i < node->depends_on.size(); ++i) {
    nodes[i] = node->graph->nodes[node->depends_on[i]];
  }
  *count = node->depends_on.size();
  return kSuccess;
}

int edges_of(void* handle, void** from, void** to, size_t* count) {
  Graph* graph = find_graph(handle);
  if (!graph || !count) return fail(kInvalidValue);
  size_t room = from && to ? *count : 0;
  size_t edges = 0;
  for (Node* node : graph->nodes) {
    for (size_t index : node->depends_on) {
      if (edges < room) from[edges] = graph->nodes[index], to[edges] = node;
      ++edges;
    }
  }
  *count = edges;
  return kSuccess;
}

int add_dependencies(void* handle, void* const* from, void* const* to, size_t count) {
  if (!find_graph(handle)) return fail(kInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    Node* source = find_node(from[i]);
    Node* target = find_node(to[i]);
    if (!source || !target) return fail(kInvalidValue);
    target->depends_on.push_back(source->index);
  }
  return kSuccess;
}

}  // namespace

int cudaGraphCreate(void** graph, unsigned int flags) {
  if (int error = ready()) return fail(error);
  if (!graph || flags) return fail(kInvalidValue);
  *graph = create_graph();
  return kSuccess;
}

int cudaGraphDestroy(void* graph) {
  return check(destroy_graph(graph), kInvalidValue);
}

int cudaGraphAddEmptyNode(void** node, void* graph, void* const* dependencies, size_t count) {
  Graph* found = find_graph(graph);
  std::vector<size_t> indices;
  if (!node || !found || !indices_of(dependencies, count, &indices)) return fail(kInvalidValue);
  *node = add_node(*found, NodeType::empty, 0, indices);
  return kSuccess;
}

int cudaGraphGetNodes(void* graph, void** nodes, size_t* count) {
  Graph* found = find_graph(graph);
  if (!found || !count) return fail(kInvalidValue);
  size_t room = nodes ? *count : 0;
  for (size_t i = 0; i < room && i < found->nodes.size(); ++i) nodes[i] = found->nodes[i];
  *count = found->nodes.size();
  return kSuccess;
}

int cudaGraphGetRootNodes(void* graph, void** nodes, size_t* count) {
  Graph* found = find_graph(graph);
  if (!found || !count) return fail(kInvalidValue);
  size_t room = nodes ? *count : 0;
  size_t roots = 0;
  for (Node* node : found->nodes) {
    if (!node->depends_on.empty()) continue;
    if (roots < room) nodes[roots] = node;
    ++roots;
  }
  *count = roots;
  return kSuccess;
}

int cudaGraphNodeGetType(void* node, int* type) {
  Node* found = find_node(node);
  if (!found || !type) return fail(kInvalidValue);
  *type = static_cast<int>(found->type);
  return kSuccess;
}

int cudaGraphInstantiate(void** exec, void* graph, unsigned long long flags) {
  return instantiate_graph(exec, graph, flags);
}
int cudaGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long flags) {
  return instantiate_graph(exec, graph, flags);
}
int cudaGraphInstantiateWithParams(void** exec, void* graph, void* parameters) {
  if (!parameters) return fail(kInvalidValue);
  return instantiate_graph(exec, graph, *static_cast<unsigned long long*>(parameters));
}

int cudaGraphExecDestroy(void* exec) {
  return check(destroy_exec(exec), kInvalidValue);
}

int cudaGraphExecUpdate(void* exec, void* graph, void* result) {
  GraphExec* found = find_exec(exec);
  Graph* source = find_graph(graph);
  if (!found || !source) return fail(kInvalidValue);
  bool updated = update_exec(*found, *source);
  if (result) *static_cast<int*>(result) = updated ? 0 : 1;
  return check(updated, kGraphExecUpdateFailure);
}

int cudaGraphLaunch(void* exec, void* stream) {
  return launch_on(exec, stream, false);
}
int cudaGraphLaunch_ptsz(void* exec, void* stream) {
  return launch_on(exec, stream, true);
}

int cudaGraphUpload(void* exec, void* stream) {
  return find_exec(exec) ? stream_argument(stream, false).error : fail(kInvalidValue);
}

int cudaGraphExecGetFlags(void* exec, unsigned long long* flags) {
  GraphExec* found = find_exec(exec);
  if (!found || !flags) return fail(kInvalidValue);
  *flags = found->flags;
  return kSuccess;
}

int cudaGraphDebugDotPrint(void* graph, const char* path, unsigned int) {
  Graph* found = find_graph(graph);
  std::FILE* file = found && path ? std::fopen(path, "w") : nullptr;
  if (!file) return fail(kInvalidValue);
  std::fputs("digraph graph_1 {\n", file);
  for (Node* node : found->nodes) {
    std::fprintf(file, "  n%zu [label=\"%zu: type %d\"];\n", node->index, node->index,
                 static_cast<int>(node->type));
    for (size_t index : node->depends_on) std::fprintf(file, "  n%zu -> n%zu;\n", index, node->index);
  }
  std::fputs("}\n", file);
  std::fclose(file);
  return kSuccess;
}

#if MAYA_CUDA_MAJOR == 12
int cudaGraphNodeGetDependencies(void* node, void** nodes, size_t* count) {
  return dependencies_of(node, nodes, count);
}
int cudaGraphNodeGetDependencies_v2(void* node, void** nodes, void*, size_t* count) {
  return dependencies_of(node, nodes, count);
}
int cudaGraphGetEdges(void* graph, void** from, void** to, size_t* count) {
  return edges_of(graph, from, to, count);
}
int cudaGraphGetEdges_v2(void* graph, void** from, void** to, void*, size_t* count) {
  return edges_of(graph, from, to, count);
}
int cudaGraphAddDependencies(void* graph, void* const* from, void* const* to, size_t count) {
  return add_dependencies(graph, from, to, count);
}
int cudaGraphAddDependencies_v2(void* graph, void* const* from, void* const* to, const void*, size_t count) {
  return add_dependencies(graph, from, to, count);
}
#else
int cudaGraphNodeGetDependencies(void* node, void** nodes, void*, size_t* count) {
  return dependencies_of(node, nodes, count);
}
int cudaGraphGetEdges(void* graph, void** from, void** to, void*, size_t* count) {
  return edges_of(graph, from, to, count);
}
int cudaGraphAddDependencies(void* graph, void* const* from, void* const* to, const void*, size_t count) {
  return add_dependencies(graph, from, to, count);
}
#endif
