// Attention, given as one operation or as the matmuls, masks and softmax it is made of.
#include <algorithm>

#include "backend_graph.h"

namespace maya::cudnn {
namespace {

int64_t mode_of(const View& op) {
  return op.type() == kOpPointwise ? op.child(kPointwiseDescriptor).integer(kPointwiseMode) : -1;
}

bool in_memory(const View& tensor) {
  return tensor.valid() && tensor.integer(kTensorIsVirtual) == 0 && tensor.integer(kTensorIsByValue) == 0;
}

int64_t uid_of(const View& tensor) {
  return tensor.integer(kTensorUid, -1);
}

// What is given by value and added before all else on the way to `tensor`.
GraphTensor first_summand(const std::vector<View>& ops, View tensor) {
  GraphTensor found;
  for (size_t steps = 0; steps < ops.size(); ++steps) {
    auto makes = [&](const View& op) {
      bool index = mode_of(op) == kPointwiseAdd || mode_of(op) == kPointwiseSub;
      return index && uid_of(op.child(kPointwiseY)) == uid_of(tensor);
    };
    auto maker = std::find_if(ops.begin(), ops.end(), makes);
    if (maker == ops.end()) break;
    View summand = maker->child(kPointwiseB);
    if (mode_of(*maker) == kPointwiseAdd && summand.integer(kTensorIsByValue)) found = read_tensor(summand);
    tensor = maker->child(kPointwiseX);
  }
  return found;
}

void add_features(const View& op, AttentionProblem* p) {
  switch (op.type()) {
    case kOpRng:
      p->dropout = 1;
      return;
    case kOpDiagonalBandMask:
      (op.get(kBandMaskLeftBound).set() ? p->window : p->causal) = 1;
      return;
    case kOpPointwise:
      break;
    default:
      return;
  }
  int64_t mode = mode_of(op);
  // Row and column numbers are compared for masks along the diagonal, or with the lengths of sequences.
  if (mode == kPointwiseCmpGe) p->causal = 1;
  if (mode == kPointwiseCmpGt) p->window = 1;
  if (mode == kPointwiseCmpLt) p->padding = 1;
  if (mode == kPointwiseAdd && in_memory(op.child(kPointwiseB)) &&
      in_memory(op.child(kPointwiseX)) == false) {
    p->bias = 1;
  }
  if (in_memory(op.child(kPointwiseY))) p->stats = 1;
}

void from_tensors(const GraphTensor& q, const GraphTensor& k, const GraphTensor& v, AttentionProblem* p) {
  p->q_type = q.type;
  p->k_type = k.type;
  p->v_type = v.type;
  p->b = q.dim(0);
  p->h_q = q.dim(1);
  p->h_k = k.dim(1);
  p->h_v = v.dim(1);
  p->s_q = q.dim(2);
  p->d_qk = q.dim(3);
  p->ragged = q.ragged || k.ragged || v.ragged;
}

void from_forward(const View& op, const Overrides& overrides, AttentionProblem* p) {
  GraphTensor v = read_tensor(op.child(kSdpaForwardV), overrides);
  GraphTensor o = read_tensor(op.child(kSdpaForwardO), overrides);
  from_tensors(read_tensor(op.child(kSdpaForwardQ), overrides),
               read_tensor(op.child(kSdpaForwardK), overrides), v, p);
  p->o_type = o.type;
  p->s_kv = v.dim(2);
  p->d_v = v.dim(3);
  // With a page table, values lie in blocks and the table says how many of them a sequence may have.
  View table = op.child(kSdpaForwardPageTableK);
  if (table.valid()) p->s_kv *= read_tensor(table, overrides).dim(2);
  p->padding |= op.get(kSdpaForwardSeqLenKv).set();
  p->dropout |= op.get(kSdpaForwardDropoutSeed).set() || op.get(kSdpaForwardDropoutProbability).set();
  View softmax = op.child(kSdpaForwardSoftmax);
  p->stats = op.get(kSdpaForwardStats).set() || (softmax.valid() && softmax.get(3102).set());
}

void from_backward(const View& op, const Overrides& overrides, AttentionProblem* p) {
  GraphTensor v = read_tensor(op.child(kSdpaBackwardV), overrides);
  from_tensors(read_tensor(op.child(kSdpaBackwardQ), overrides),
               read_tensor(op.child(kSdpaBackwardK), overrides), v, p);
  p->o_type = read_tensor(op.child(kSdpaBackwardO), overrides).type;
  p->s_kv = v.dim(2);
  p->d_v = v.dim(3);
  p->padding |= op.get(kSdpaBackwardSeqLenQ).set();
  p->stats = 1;
}

// The first product is queries by keys. Forward, the second is by values; backward, the next one whose
// operands both lie in memory is the output's gradient by values.
void from_matmuls(const std::vector<View>& products, bool backward, const Overrides& overrides,
                  AttentionProblem* p) {
  GraphTensor q = read_tensor(products[0].child(kMatmulA), overrides);
  GraphTensor k = read_tensor(products[0].child(kMatmulB), overrides);
  p->compute_type = products[0].child(kMatmulDescriptor).integer(kMatmulCompType);
  for (size_t i = 1; i < products.size(); ++i) {
    View a = products[i].child(kMatmulA), b = products[i].child(kMatmulB);
    if (backward && !(in_memory(a) && in_memory(b))) continue;
    GraphTensor v = read_tensor(b, overrides);
    from_tensors(q, k, v, p);
    p->d_v = backward ? v.dim(2) : v.dim(3);
    p->o_type = read_tensor(backward ? a : products[i].child(kMatmulC), overrides).type;
    break;
  }
  p->s_kv = k.dim(3);
}

}  // namespace

AttentionProblem attention_problem(const std::vector<View>& ops, GraphKind kind, const Overrides& overrides) {
  AttentionProblem problem;
  problem.ops = static_cast<int64_t>(ops.size());
  std::vector<View> products;
  for (const View& op : ops) {
    add_features(op, &problem);
    if (op.type() == kOpMatmul) products.push_back(op);
  }
  bool backward = kind == GraphKind::sdpa_bwd;
  for (const View& op : ops) {
    if (op.type() == kOpSdpaForward) return from_forward(op, overrides, &problem), problem;
    if (op.type() == kOpSdpaBackward) return from_backward(op, overrides, &problem), problem;
  }
  from_matmuls(products, backward, overrides, &problem);
  return problem;
}

// A mask operation names the tensor. Made of parts, the window is (column + bound - keys + queries) > row.
GraphTensor window_bound(const std::vector<View>& ops) {
  for (const View& op : ops) {
    if (op.type() == kOpDiagonalBandMask && op.get(kBandMaskLeftBound).set()) {
      return read_tensor(op.child(kBandMaskLeftBound));
    }
    if (mode_of(op) == kPointwiseCmpGt) return first_summand(ops, op.child(kPointwiseX));
  }
  return {};
}

}  // namespace maya::cudnn
