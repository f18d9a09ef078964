// Tensors and operations of a graph, and what the graph is: a convolution, attention, a matmul, ...
#include "backend_graph.h"

#include <algorithm>

namespace maya::cudnn {
namespace {

void collect(const View& part, std::vector<View>* ops) {
  if (is_operation(part.type())) ops->push_back(part);
  if (part.type() == kBackendTensor) return;
  part.each([&](int, const Value& value) {
    if (value.type != kTypeDescriptor) return;
    for (int64_t i = 0; i < value.count; ++i) collect(value.child(i), ops);
  });
}

int64_t count_of(const std::vector<View>& ops, int type) {
  return std::count_if(ops.begin(), ops.end(), [&](const View& op) { return op.type() == type; });
}

bool has_exponential(const std::vector<View>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const View& op) {
    return op.type() == kOpSoftmax ||
           (op.type() == kOpPointwise &&
            op.child(kPointwiseDescriptor).integer(kPointwiseMode) == kPointwiseExp);
  });
}

}  // namespace

int64_t GraphTensor::elements() const {
  int64_t count = 1;
  for (int64_t extent : dims) count *= extent;
  return count;
}

int64_t GraphTensor::bytes() const {
  // Four-bit types come in pairs.
  bool halved = type == kFp4E2m1 || type == kInt4 || type == kUint4;
  int64_t full = elements() * static_cast<int64_t>(bytes_of(static_cast<int>(type)));
  return halved ? (full + 1) / 2 : full;
}

bool GraphTensor::channels_last() const {
  if (dims.size() < 3 || strides.size() != dims.size() || strides[1] != 1) return false;
  return dims[1] > 1 || strides.back() == dims[1];
}

GraphTensor read_tensor(const View& tensor, const Overrides& overrides) {
  GraphTensor result;
  result.uid = tensor.integer(kTensorUid);
  result.type = tensor.integer(kTensorDataType);
  result.dims = tensor.integers(kTensorDimensions);
  result.strides = tensor.integers(kTensorStrides);
  result.is_virtual = tensor.integer(kTensorIsVirtual) != 0;
  result.by_value = tensor.integer(kTensorIsByValue) != 0;
  result.ragged = tensor.get(kTensorRaggedOffset).count > 0;
  for (const Override& given : overrides) {
    if (given.uid != result.uid) continue;
    result.dims = given.dims;
    result.strides = given.strides;
  }
  return result;
}

std::vector<View> operations(const View& graph) {
  std::vector<View> ops;
  collect(graph, &ops);
  return ops;
}

GraphKind kind_of(const std::vector<View>& ops) {
  for (const View& op : ops) {
    switch (op.type()) {
      case kOpConvForward:
        return GraphKind::conv_fprop;
      case kOpConvBackwardData:
        return GraphKind::conv_dgrad;
      case kOpConvBackwardFilter:
        return GraphKind::conv_wgrad;
      case kOpSdpaForward:
        return GraphKind::sdpa_fwd;
      case kOpSdpaBackward:
        return GraphKind::sdpa_bwd;
      case kOpNormForward:
        return GraphKind::norm_fwd;
      case kOpNormBackward:
        return GraphKind::norm_bwd;
      default:
        break;
    }
  }
  // Attention is also built from parts: two matmuls around a softmax; its gradient has five.
  int64_t matmuls = count_of(ops, kOpMatmul);
  if (matmuls >= 2 && has_exponential(ops)) return matmuls >= 4 ? GraphKind::sdpa_bwd : GraphKind::sdpa_fwd;
  return matmuls > 0 ? GraphKind::matmul : GraphKind::other;
}

bool is_conv(GraphKind kind) {
  return kind == GraphKind::conv_fprop || kind == GraphKind::conv_dgrad || kind == GraphKind::conv_wgrad;
}

ConvKind conv_kind(GraphKind kind) {
  if (kind == GraphKind::conv_fprop) return ConvKind::fprop;
  return kind == GraphKind::conv_dgrad ? ConvKind::dgrad : ConvKind::wgrad;
}

Schema& schema_of(GraphKind kind) {
  Schema* const schemas[] = {&conv_fprop_schema, &conv_dgrad_schema, &conv_wgrad_schema,
                             &sdpa_fwd_schema,   &sdpa_bwd_schema,   &matmul_schema,
                             &norm_fwd_schema,   &norm_bwd_schema,   &graph_schema};
  return *schemas[static_cast<int>(kind)];
}

int64_t operand_type(const std::vector<View>& ops, GraphKind kind) {
  for (const View& op : ops) {
    View operand;
    if (op.type() == kOpConvForward) operand = op.child(kFpropX);
    if (op.type() == kOpConvBackwardData) operand = op.child(kDgradDy);
    if (op.type() == kOpConvBackwardFilter) operand = op.child(kWgradX);
    if (op.type() == kOpSdpaForward) operand = op.child(kSdpaForwardQ);
    if (op.type() == kOpSdpaBackward) operand = op.child(kSdpaBackwardQ);
    if (op.type() == kOpMatmul && !is_conv(kind)) operand = op.child(kMatmulA);
    if (operand.valid()) return operand.integer(kTensorDataType);
  }
  return -1;
}

}  // namespace maya::cudnn
