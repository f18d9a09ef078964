// Variants that carry edge data. All edges here are full dependencies: ports matter to programmatic launches,
// whose overlap is in the launch attributes already.
#include <cstring>

#include "support.h"

using namespace maya::driver;

namespace {

constexpr size_t kEdgeBytes = 8;

void zero_edges(void* edges, const size_t* count) {
  if (edges && count) memset(edges, 0, *count * kEdgeBytes);
}

}  // namespace

extern "C" {

int cuGraphGetEdges_v2(void* graph, void** from, void** to, void* edges, size_t* count) {
  const int status = cuGraphGetEdges(graph, from, to, count);
  if (status == kSuccess && from) zero_edges(edges, count);
  return status;
}

int cuGraphNodeGetDependencies_v2(void* node, void** nodes, void* edges, size_t* count) {
  const int status = cuGraphNodeGetDependencies(node, nodes, count);
  if (status == kSuccess && nodes) zero_edges(edges, count);
  return status;
}

int cuGraphNodeGetDependentNodes_v2(void* node, void** nodes, void* edges, size_t* count) {
  const int status = cuGraphNodeGetDependentNodes(node, nodes, count);
  if (status == kSuccess && nodes) zero_edges(edges, count);
  return status;
}

int cuGraphAddDependencies_v2(void* graph, void* const* from, void* const* to, const void*, size_t count) {
  return cuGraphAddDependencies(graph, from, to, count);
}

int cuGraphRemoveDependencies_v2(void* graph, void* const* from, void* const* to, const void*, size_t count) {
  return cuGraphRemoveDependencies(graph, from, to, count);
}

int cuGraphAddNode_v2(void** node, void* graph, void* const* dependencies, const void*, size_t count,
                      void* params) {
  return cuGraphAddNode(node, graph, dependencies, count, params);
}

}  // extern "C"
