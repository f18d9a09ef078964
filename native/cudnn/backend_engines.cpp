// Engines: which kernels could compute a graph, in the order the heuristics would give them.
#include "backend_graph.h"

namespace maya::cudnn {
namespace {

// Convolution engines below this number multiply without tensor cores. Frontends keep lists of engines to
// fall back on (0, 1 and one between 20 and 28), and programs that forbid TF32 take the first without
// the notes of tensor cores.
constexpr int64_t kFirstTensorCoreEngine = 10;
constexpr int64_t kConvEngine = 38;
constexpr int64_t kConvAlternative = 28;
constexpr int64_t kConvPlain = 1;
constexpr int64_t kConvAtomic = 0;  // adds gradients in any order

}  // namespace

std::vector<int64_t> engine_order(const View& graph, bool fallback) {
  std::vector<View> ops = operations(graph);
  GraphKind kind = kind_of(ops);
  if (!is_conv(kind)) return fallback ? std::vector<int64_t>{2} : std::vector<int64_t>{5, 4, 2};
  if (fallback || !tensor_cores(operand_type(ops, kind))) return {kConvPlain, kConvAtomic};
  return {kConvEngine, kConvPlain, kConvAlternative};
}

int64_t engine_notes(const View& graph, int64_t engine) {
  std::vector<View> ops = operations(graph);
  GraphKind kind = kind_of(ops);
  if (!is_conv(kind)) return tensor_core_notes(operand_type(ops, kind));
  if (engine >= kFirstTensorCoreEngine) return tensor_core_notes(operand_type(ops, kind));
  bool atomic = engine == kConvAtomic && kind != GraphKind::conv_fprop;
  return atomic ? 1 << kNoteNondeterministic : 0;
}

int64_t engine_workspace(const View& graph, int64_t engine) {
  std::vector<View> ops = operations(graph);
  GraphKind kind = kind_of(ops);
  if (is_conv(kind)) {
    if (engine == kConvAtomic) return 0;
    bool on_tensor_cores = engine_notes(graph, engine) & 1 << kNoteTensorCore;
    return conv_workspace(conv_kind(kind), conv_problem(ops, kind, {}), on_tensor_cores);
  }
  if (kind == GraphKind::sdpa_bwd) {
    // Row sums of the output times its gradient, in single precision.
    AttentionProblem problem = attention_problem(ops, kind, {});
    return (problem.b * problem.h_q * problem.s_q * 4 + 255) / 256 * 256;
  }
  return 0;
}

}  // namespace maya::cudnn
