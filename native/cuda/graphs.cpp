// Graphs: making, reading and copying them.
#include <algorithm>

#include "graph_nodes.h"

using namespace maya;
using namespace maya::driver;

namespace {

int require_graph(void* handle, Graph** graph) {
  if (int status = require_driver()) return status;
  *graph = find_graph(handle);
  return *graph ? kSuccess : kInvalidValue;
}

int require_node(void* handle, Node** node) {
  if (int status = require_driver()) return status;
  *node = find_node(handle);
  return *node ? kSuccess : kInvalidValue;
}

// The answer to every listing: the count alone, or as many as fit with nulls behind them.
int list(const std::vector<Node*>& found, void** nodes, size_t* count) {
  if (!count) return kInvalidValue;
  if (nodes) {
    for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    *count = std::min(*count, found.size());
  } else {
    *count = found.size();
  }
  return kSuccess;
}

bool depends(const Node& node, size_t index) {
  return std::find(node.depends_on.begin(), node.depends_on.end(), index) != node.depends_on.end();
}

std::vector<Node*> dependents(const Node& node) {
  std::vector<Node*> found;
  for (Node* other : node.graph->nodes) {
    if (depends(*other, node.index)) found.push_back(other);
  }
  return found;
}

std::vector<Node*> dependencies(const Node& node) {
  std::vector<Node*> found;
  for (size_t index : node.depends_on) found.push_back(node.graph->nodes[index]);
  return found;
}

}  // namespace

extern "C" {

int cuGraphCreate(void** graph, unsigned int flags) {
  if (int status = require_driver()) return status;
  if (!graph || flags != 0) return kInvalidValue;
  *graph = create_graph();
  return kSuccess;
}

int cuGraphDestroy(void* graph) {
  if (int status = require_driver()) return status;
  return destroy_graph(graph) ? kSuccess : kInvalidValue;
}

int cuGraphClone(void** clone, void* original) {
  Graph* graph = nullptr;
  if (int status = require_graph(original, &graph)) return status;
  if (!clone) return kInvalidValue;
  Graph* copy = create_graph();
  for (const Node* node : graph->nodes) {
    Node* made = add_node(*copy, node->type, node->definition, node->depends_on);
    made->stream = node->stream;
    made->child = node->child;
    made->params = node->params;
    made->effects = node->effects;
  }
  *clone = copy;
  return kSuccess;
}

int cuGraphNodeFindInClone(void** found, void* original, void* clone) {
  Graph* graph = nullptr;
  Node* node = nullptr;
  if (int status = require_graph(clone, &graph)) return status;
  if (int status = require_node(original, &node)) return status;
  if (!found || node->index >= graph->nodes.size()) return kInvalidValue;
  *found = graph->nodes[node->index];
  return kSuccess;
}

int cuGraphGetId(void* handle, unsigned int* id) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  if (!id) return kInvalidValue;
  *id = static_cast<unsigned>(graph->id);
  return kSuccess;
}

int cuGraphGetNodes(void* handle, void** nodes, size_t* count) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  return list(graph->nodes, nodes, count);
}

int cuGraphGetRootNodes(void* handle, void** nodes, size_t* count) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  std::vector<Node*> roots;
  for (Node* node : graph->nodes) {
    if (node->depends_on.empty()) roots.push_back(node);
  }
  return list(roots, nodes, count);
}

int cuGraphGetEdges(void* handle, void** from, void** to, size_t* count) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  if (!count || !from != !to) return kInvalidValue;
  std::vector<Node*> sources, targets;
  for (Node* node : graph->nodes) {
    for (Node* source : dependencies(*node)) {
      sources.push_back(source);
      targets.push_back(node);
    }
  }
  size_t same = *count;
  list(sources, from, &same);
  return list(targets, to, count);
}

int cuGraphNodeGetType(void* handle, int* type) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  if (!type) return kInvalidValue;
  *type = static_cast<int>(node->type);
  return kSuccess;
}

int cuGraphNodeGetContainingGraph(void* handle, void** graph) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  if (!graph) return kInvalidValue;
  *graph = node->graph;
  return kSuccess;
}

int cuGraphNodeGetLocalId(void* handle, unsigned int* id) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  if (!id) return kInvalidValue;
  *id = static_cast<unsigned>(node->index);
  return kSuccess;
}

int cuGraphNodeGetToolsId(void* handle, unsigned long long* id) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  if (!id) return kInvalidValue;
  *id = node->graph->id << 32 | node->index;
  return kSuccess;
}

int cuGraphNodeGetDependencies(void* handle, void** nodes, size_t* count) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  return list(dependencies(*node), nodes, count);
}

int cuGraphNodeGetDependentNodes(void* handle, void** nodes, size_t* count) {
  Node* node = nullptr;
  if (int status = require_node(handle, &node)) return status;
  return list(dependents(*node), nodes, count);
}

int cuGraphAddDependencies(void* handle, void* const* from, void* const* to, size_t count) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  std::vector<size_t> sources, targets;
  if (!read_dependencies(*graph, from, count, &sources)) return kInvalidValue;
  if (!read_dependencies(*graph, to, count, &targets)) return kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    Node& target = *graph->nodes[targets[i]];
    if (sources[i] == targets[i] || depends(target, sources[i])) return kInvalidValue;
    target.depends_on.push_back(sources[i]);
  }
  return kSuccess;
}

int cuGraphRemoveDependencies(void* handle, void* const* from, void* const* to, size_t count) {
  Graph* graph = nullptr;
  if (int status = require_graph(handle, &graph)) return status;
  std::vector<size_t> sources, targets;
  if (!read_dependencies(*graph, from, count, &sources)) return kInvalidValue;
  if (!read_dependencies(*graph, to, count, &targets)) return kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    auto& edges = graph->nodes[targets[i]]->depends_on;
    auto edge = std::find(edges.begin(), edges.end(), sources[i]);
    if (edge == edges.end()) return kInvalidValue;
    edges.erase(edge);
  }
  return kSuccess;
}

}  // extern "C"
