// From an operation graph to the fields that are recorded of it.
#include <algorithm>
#include <set>

#include "backend_graph.h"

namespace maya::cudnn {
namespace {

template <typename Problem>
std::vector<int64_t> row(const Problem& problem) {
  auto* first = reinterpret_cast<const int64_t*>(&problem);
  return {first, first + sizeof problem / sizeof(int64_t)};
}

const View& main_operation(const std::vector<View>& ops, std::initializer_list<int> types) {
  auto wanted = [&](const View& op) { return std::count(types.begin(), types.end(), op.type()) > 0; };
  return *std::find_if(ops.begin(), ops.end(), wanted);
}

void spatial_of(int64_t (&to)[3], const GraphTensor& tensor) {
  int count = static_cast<int>(tensor.dims.size()) - 2;
  if (count > 0) spatial(to, tensor.dims.data() + 2, std::min(count, 3));
}

NormProblem norm_problem(const std::vector<View>& ops, bool forward, const Overrides& overrides) {
  const View& op = main_operation(ops, {kOpNormForward, kOpNormBackward});
  GraphTensor x = read_tensor(op.child(forward ? kNormForwardX : kNormBackwardX), overrides);
  GraphTensor y = read_tensor(op.child(forward ? kNormForwardY : kNormBackwardDx), overrides);
  GraphTensor scale = read_tensor(op.child(forward ? kNormForwardScale : kNormBackwardScale), overrides);
  NormProblem p;
  p.mode = op.integer(forward ? kNormForwardMode : kNormBackwardMode);
  p.training = forward ? op.integer(kNormForwardPhase) : 1;
  p.x_type = x.type;
  p.y_type = y.type;
  p.scale_type = scale.type;
  p.n = x.dim(0);
  p.c = x.dim(1);
  spatial_of(p.spatial, x);
  p.scale_elements = scale.elements();
  p.nhwc = x.channels_last();
  p.fused = static_cast<int64_t>(ops.size()) - 1;
  return p;
}

MatmulProblem matmul_problem(const std::vector<View>& ops, const Overrides& overrides) {
  const View& op = main_operation(ops, {kOpMatmul});
  GraphTensor a = read_tensor(op.child(kMatmulA), overrides);
  GraphTensor b = read_tensor(op.child(kMatmulB), overrides);
  GraphTensor c = read_tensor(op.child(kMatmulC), overrides);
  MatmulProblem p;
  p.a_type = a.type;
  p.b_type = b.type;
  p.c_type = c.type;
  p.compute_type = op.child(kMatmulDescriptor).integer(kMatmulCompType);
  p.m = a.from_end(1);
  p.k = a.from_end(0);
  p.n = b.from_end(0);
  p.batch = c.elements() / std::max<int64_t>(p.m * p.n, 1);
  p.matmuls = std::count_if(ops.begin(), ops.end(), [](const View& o) { return o.type() == kOpMatmul; });
  p.fused_ops = static_cast<int64_t>(ops.size()) - p.matmuls;
  return p;
}

GraphProblem graph_problem(const std::vector<View>& ops, const Overrides& overrides) {
  GraphProblem p;
  p.ops = static_cast<int64_t>(ops.size());
  std::set<int64_t> seen;
  each_tensor(ops, [&](const View& view, bool output) {
    GraphTensor tensor = read_tensor(view, overrides);
    p.largest = std::max(p.largest, tensor.elements());
    if (tensor.is_virtual || tensor.by_value || !seen.insert(tensor.uid).second) return;
    (output ? p.out_bytes : p.in_bytes) += tensor.bytes();
  });
  return p;
}

// The fields that every schema of a graph begins with.
template <typename Problem>
std::vector<int64_t> finish(Problem problem, const View& graph, int64_t engine, const Overrides& overrides) {
  problem.graph = intern(describe(graph, overrides).c_str());
  problem.engine = engine;
  problem.workspace = engine_workspace(graph, engine);
  problem.notes = engine_notes(graph, engine);
  return row(recorded(problem));
}

// What the tensors of a convolution say: x and w are what is read, wherever the result goes.
void describe_tensors(ConvProblem& p, const GraphTensor& x, const GraphTensor& w, const GraphTensor& y) {
  p.x_type = x.type;
  p.w_type = w.type;
  p.y_type = y.type;
  p.n = x.dim(0);
  p.c = x.dim(1);
  p.k = w.dim(0);
  p.filter_c = w.dim(1);
  spatial_of(p.in, x);
  spatial_of(p.filter, w);
  spatial_of(p.out, y);
  p.groups = p.c / std::max<int64_t>(p.filter_c, 1);
  p.x_nhwc = x.channels_last();
  p.w_nhwc = w.channels_last();
  p.y_nhwc = y.channels_last();
}

void describe_convolution(ConvProblem& p, const View& conv) {
  auto fill = [&](int64_t (&to)[3], int attribute) {
    std::vector<int64_t> numbers = conv.integers(attribute);
    spatial(to, numbers.data(), std::min<int>(static_cast<int>(numbers.size()), 3));
  };
  p.compute_type = conv.integer(kConvCompType);
  p.mode = conv.integer(kConvMode, 1);
  p.spatial_dims = conv.integer(kConvSpatialDims);
  fill(p.pad, kConvPrePaddings);
  fill(p.post_pad, kConvPostPaddings);
  fill(p.stride, kConvStrides);
  fill(p.dilation, kConvDilations);
}

}  // namespace

ConvProblem conv_problem(const std::vector<View>& ops, GraphKind kind, const Overrides& overrides) {
  struct Slots {
    int conv, x, w, y;
  };
  constexpr Slots kSlots[] = {{kFpropConv, kFpropX, kFpropW, kFpropY},
                              {kDgradConv, kDgradDx, kDgradW, kDgradDy},
                              {kWgradConv, kWgradX, kWgradDw, kWgradDy}};
  const Slots& slots = kSlots[static_cast<int>(conv_kind(kind))];
  const View& op = main_operation(ops, {kOpConvForward, kOpConvBackwardData, kOpConvBackwardFilter});
  auto tensor = [&](int slot) { return read_tensor(op.child(slot), overrides); };
  ConvProblem p;
  describe_tensors(p, tensor(slots.x), tensor(slots.w), tensor(slots.y));
  describe_convolution(p, op.child(slots.conv));
  p.fused_ops = static_cast<int64_t>(ops.size()) - 1;
  return p;
}

std::vector<int64_t> record_fields(const View& graph, int64_t engine, const Overrides& overrides) {
  std::vector<View> ops = operations(graph);
  GraphKind kind = kind_of(ops);
  switch (kind) {
    case GraphKind::conv_fprop:
    case GraphKind::conv_dgrad:
    case GraphKind::conv_wgrad:
      return finish(conv_problem(ops, kind, overrides), graph, engine, overrides);
    case GraphKind::sdpa_fwd:
    case GraphKind::sdpa_bwd:
      return finish(attention_problem(ops, kind, overrides), graph, engine, overrides);
    case GraphKind::norm_fwd:
    case GraphKind::norm_bwd:
      return finish(norm_problem(ops, kind == GraphKind::norm_fwd, overrides), graph, engine, overrides);
    case GraphKind::matmul:
      return finish(matmul_problem(ops, overrides), graph, engine, overrides);
    case GraphKind::other:
      break;
  }
  return finish(graph_problem(ops, overrides), graph, engine, overrides);
}

}  // namespace maya::cudnn
