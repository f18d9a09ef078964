// Reading operation graphs: tensors, operations, what the graph computes.
#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "convolution.h"
#include "problem.h"

namespace maya::cudnn {

struct GraphTensor {
  int64_t uid = 0;
  int64_t type = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  bool is_virtual = false;
  bool by_value = false;
  bool ragged = false;

  int64_t dim(size_t axis) const { return axis < dims.size() ? dims[axis] : 1; }
  // Counted from the last: 0 is the fastest in a row-major matrix.
  int64_t from_end(size_t axis) const { return axis < dims.size() ? dims[dims.size() - 1 - axis] : 1; }
  int64_t elements() const;
  int64_t bytes() const;
  bool channels_last() const;
};

// Shapes that a variant pack gives in place of the graph's own.
struct Override {
  int64_t uid = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
};
using Overrides = std::vector<Override>;

GraphTensor read_tensor(const View& tensor, const Overrides& overrides = {});

// Operations of a graph with those of its subgraphs.
std::vector<View> operations(const View& graph);

// Calls visit(tensor, is_output) for every use of a tensor by an operation.
template <typename Visit>
void each_tensor(const std::vector<View>& ops, Visit visit) {
  for (const View& op : ops) {
    op.each([&](int number, const Value& value) {
      bool output = false;
      attribute_name(number, &output);
      for (int64_t i = 0; value.type == kTypeDescriptor && i < value.count; ++i) {
        View part = value.child(i);
        if (part.type() != kBackendTensor) continue;
        visit(part, output);
        View offsets = part.child(kTensorRaggedOffset);
        if (offsets.valid()) visit(offsets, false);
      }
    });
  }
}

enum class GraphKind {
  conv_fprop,
  conv_dgrad,
  conv_wgrad,
  sdpa_fwd,
  sdpa_bwd,
  matmul,
  norm_fwd,
  norm_bwd,
  other
};
GraphKind kind_of(const std::vector<View>& ops);
bool is_conv(GraphKind kind);
ConvKind conv_kind(GraphKind kind);
Schema& schema_of(GraphKind kind);

ConvProblem conv_problem(const std::vector<View>& ops, GraphKind kind, const Overrides& overrides);
AttentionProblem attention_problem(const std::vector<View>& ops, GraphKind kind, const Overrides& overrides);
// The tensor that says how many keys a sliding window shows; its value is given when the plan is executed.
// Of no sizes where the graph has none.
GraphTensor window_bound(const std::vector<View>& ops);

// The type of the operands that decides over tensor cores; -1 where none is multiplied.
int64_t operand_type(const std::vector<View>& ops, GraphKind kind);

// Everything in one line: operations in order, every tensor's type, sizes and strides at its first use.
std::string describe(const View& graph, const Overrides& overrides);

// Engines: variants of kernels that can compute a graph.
constexpr int64_t kEngineTotal = 64;
// Best first.
std::vector<int64_t> engine_order(const View& graph, bool fallback);
int64_t engine_notes(const View& graph, int64_t engine);
int64_t engine_workspace(const View& graph, int64_t engine);

// The fields of the graph's schema.
std::vector<int64_t> record_fields(const View& graph, int64_t engine, const Overrides& overrides);

}  // namespace maya::cudnn
