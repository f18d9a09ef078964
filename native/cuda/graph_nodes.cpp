#include "graph_nodes.h"

#include <cstring>

#include "launches.h"

namespace maya::driver {
namespace {

// Parameters of a kept kernel: the struct, its array of pointers, the values they point at.
size_t values_offset(size_t parameters) {
  return sizeof(KernelNode) + parameters * sizeof(void*);
}

void link_arguments(Node& node, const KernelFacts& facts) {
  auto* params = reinterpret_cast<KernelNode*>(node.params.data());
  auto** pointers = reinterpret_cast<void**>(node.params.data() + sizeof(KernelNode));
  char* values = node.params.data() + values_offset(facts.params.size());
  for (size_t i = 0; i < facts.params.size(); ++i) pointers[i] = values + facts.params[i].offset;
  params->arguments = pointers;
  params->extra = nullptr;
}

const void* packed_buffer(void** extra) {
  for (; extra && *extra; extra += 2) {
    if (reinterpret_cast<size_t>(extra[0]) == kParamBufferPointer) return extra[1];
  }
  return nullptr;
}

}  // namespace

NodeStream::NodeStream(Graph& graph, std::vector<size_t> depends_on) : nodes_before_(graph.nodes.size()) {
  session_.graph = &graph;
  session_.origin = &stream_;
  stream_.device = current_device();
  stream_.number = default_stream(stream_.device).number;
  stream_.capture = &session_;
  stream_.capture_tail = std::move(depends_on);
}

Node* NodeStream::node() const {
  const auto& nodes = session_.graph->nodes;
  return nodes.size() > nodes_before_ ? nodes.back() : nullptr;
}

bool read_dependencies(const Graph& graph, void* const* nodes, size_t count, std::vector<size_t>* indices) {
  if (count && !nodes) return false;
  for (size_t i = 0; i < count; ++i) {
    const Node* node = find_node(nodes[i]);
    if (!node || node->graph != &graph) return false;
    indices->push_back(node->index);
  }
  return true;
}

void keep_kernel(Node& node, Function& function, const LaunchShape& shape, void** arguments, void** extra) {
  const KernelFacts* facts = facts_of(function);
  if (!facts) return;
  KernelNode params{};
  params.function = &function;
  for (int axis = 0; axis < 3; ++axis) {
    params.grid[axis] = shape.grid[axis];
    params.block[axis] = shape.block[axis];
  }
  params.shared_bytes = shape.shared_bytes;
  size_t bytes = values_offset(facts->params.size());
  for (const KernelParam& param : facts->params) {
    bytes = std::max(bytes, values_offset(facts->params.size()) + param.offset + param.size);
  }
  node.params.assign(bytes, 0);
  memcpy(node.params.data(), &params, sizeof params);
  link_arguments(node, *facts);
  void** kept_arguments = reinterpret_cast<KernelNode*>(node.params.data())->arguments;
  const auto* packed = static_cast<const char*>(packed_buffer(extra));
  for (size_t i = 0; i < facts->params.size(); ++i) {
    const void* from = packed ? packed + facts->params[i].offset : arguments ? arguments[i] : nullptr;
    if (from) memcpy(kept_arguments[i], from, facts->params[i].size);
  }
}

void keep_kernel(Stream& stream, Function& function, const LaunchShape& shape, void** arguments,
                 void** extra) {
  const auto& nodes = stream.capture->graph->nodes;
  if (!nodes.empty()) keep_kernel(*nodes.back(), function, shape, arguments, extra);
}

const KernelNode* kept_kernel(Node& node) {
  if (node.type != NodeType::kernel || node.params.size() < sizeof(KernelNode)) return nullptr;
  return reinterpret_cast<const KernelNode*>(node.params.data());
}

int submit_kernel(const KernelNode& params, Stream& stream) {
  Function* function = find_function(params.function ? params.function : params.kernel);
  if (!function) return kInvalidHandle;
  LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = params.grid[axis];
    shape.block[axis] = params.block[axis];
  }
  shape.shared_bytes = params.shared_bytes;
  if (int status = launch_onto(*function, shape, params.arguments, params.extra, stream)) return status;
  keep_kernel(stream, *function, shape, params.arguments, params.extra);
  return kSuccess;
}

int submit_host(const HostNode& params, Stream& stream) {
  if (!params.function) return kInvalidValue;
  host_callback(stream, reinterpret_cast<void (*)(void*)>(params.function), params.user_data);
  keep(*stream.capture->graph->nodes.back(), params);
  return kSuccess;
}

}  // namespace maya::driver
