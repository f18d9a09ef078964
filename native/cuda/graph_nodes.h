// Nodes of graphs, and the parameters a program may ask back.
#pragma once

#include <vector>

#include "maya/graph.h"
#include "maya/kernels.h"
#include "support.h"

namespace maya::driver {

// A stream that exists only to turn what is submitted to it into nodes of one graph: explicit nodes are
// thereby recorded exactly as captured ones are.
class NodeStream {
 public:
  NodeStream(Graph& graph, std::vector<size_t> depends_on);
  Stream& stream() { return stream_; }
  // The node made last; null where nothing was submitted.
  Node* node() const;

 private:
  size_t nodes_before_;
  CaptureSession session_;
  Stream stream_;
};

// Indices of the dependencies; false where one is not a node of the graph.
bool read_dependencies(const Graph& graph, void* const* nodes, size_t count, std::vector<size_t>* indices);

// Keeps what cuGraphKernelNodeGetParams gives back.
void keep_kernel(Node& node, Function& function, const LaunchShape& shape, void** arguments, void** extra);
// As above for the kernel just captured from a stream.
void keep_kernel(Stream& stream, Function& function, const LaunchShape& shape, void** arguments,
                 void** extra);
// Null where the node holds no kernel whose parameters are known.
const KernelNode* kept_kernel(Node& node);

template <typename T>
void keep(Node& node, const T& params) {
  const auto* bytes = reinterpret_cast<const char*>(&params);
  node.params.assign(bytes, bytes + sizeof params);
}

template <typename T>
const T* kept(const Node& node, NodeType type) {
  if (node.type != type || node.params.size() != sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(node.params.data());
}

// Puts the work of a kernel, copy, memset or host node onto the stream.
int submit_kernel(const KernelNode& params, Stream& stream);
int submit_host(const HostNode& params, Stream& stream);

}  // namespace maya::driver
