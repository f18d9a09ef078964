// From descriptors to convolution problems: sizes, kernels' numerical notes, workspaces.
#include "convolution.h"
#include "maya/device.h"

namespace maya::cudnn {
namespace {

constexpr int64_t kCopyAlignment = 256;

int64_t aligned(int64_t bytes) {
  return (bytes + kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
}

int64_t volume(const int64_t (&extent)[3]) {
  return extent[0] * extent[1] * extent[2];
}

bool consistent(const ConvProblem& problem) {
  if (problem.c != problem.filter_c * problem.groups || problem.k % problem.groups != 0) return false;
  for (int axis = 0; axis < 3; ++axis) {
    int64_t window = (problem.filter[axis] - 1) * problem.dilation[axis] + 1;
    int64_t padded = problem.in[axis] + problem.pad[axis] + problem.post_pad[axis];
    if (padded < window || (padded - window) / problem.stride[axis] + 1 != problem.out[axis]) return false;
  }
  return true;
}

}  // namespace

bool tensor_cores(int64_t data_type) {
  int sm = device_model().sm();
  switch (data_type) {
    case kHalf:
      return sm >= 70;
    case kInt8:
    case kUint8:
    case kInt8x4:
    case kInt8x32:
      return sm >= 75;
    case kFloat:
    case kBfloat16:
      return sm >= 80;
    case kFp8E4m3:
    case kFp8E5m2:
      return sm >= 89;
    case kFp8E8m0:
    case kFp4E2m1:
      return sm >= 100;
    default:
      return false;
  }
}

int64_t tensor_core_notes(int64_t data_type) {
  // Not "inputs converted down" for TF32: PyTorch never takes an engine that says so, and it takes these.
  return tensor_cores(data_type) ? 1 << kNoteTensorCore : 0;
}

Schema& schema_of(ConvKind kind) {
  if (kind == ConvKind::fprop) return conv_fprop_schema;
  return kind == ConvKind::dgrad ? conv_dgrad_schema : conv_wgrad_schema;
}

int64_t conv_workspace(ConvKind kind, const ConvProblem& problem, bool on_tensor_cores) {
  int64_t filter_elements = problem.k * problem.filter_c * volume(problem.filter);
  if (!on_tensor_cores) return aligned(4 * problem.filter_c * volume(problem.filter));
  int64_t bytes = 0;
  auto copy = [&](bool needed, int64_t count, int64_t type) {
    if (needed) bytes += aligned(count * static_cast<int64_t>(bytes_of(static_cast<int>(type))));
  };
  copy(!problem.x_nhwc, problem.n * problem.c * volume(problem.in), problem.x_type);
  copy(!problem.w_nhwc, filter_elements, problem.w_type);
  copy(!problem.y_nhwc, problem.n * problem.k * volume(problem.out), problem.y_type);
  copy(kind == ConvKind::wgrad && problem.w_type != kFloat, filter_elements, kFloat);
  return bytes;
}

bool conv_problem(void* x_desc, void* w_desc, void* conv_desc, void* y_desc, ConvProblem* problem,
                  Shapes* shapes) {
  ConvolutionDesc conv;
  TensorDesc x, y;
  FilterDesc w;
  if (!load(conv_desc, &conv) || !load(x_desc, &x) || !load(w_desc, &w) || !load(y_desc, &y)) {
    return fail(kBadParam, "not a set descriptor"), false;
  }
  if (x.dims != y.dims || x.dims != w.dims || x.dims != conv.dims + 2 || conv.dims > 3) {
    return fail(kBadParamShapeMismatch, "ranks of tensors, filter and convolution differ"), false;
  }
  ConvProblem& p = *problem;
  p.x_type = x.type;
  p.w_type = w.type;
  p.y_type = y.type;
  p.compute_type = conv.compute_type;
  p.math_type = conv.math_type;
  p.mode = conv.mode;
  p.spatial_dims = conv.dims;
  p.n = x.dim[0];
  p.c = x.dim[1];
  p.k = w.dim[0];
  p.filter_c = w.dim[1];
  p.groups = conv.groups;
  spatial(p.in, x.dim + 2, conv.dims);
  spatial(p.filter, w.dim + 2, conv.dims);
  spatial(p.out, y.dim + 2, conv.dims);
  spatial(p.pad, conv.pad, conv.dims);
  spatial(p.post_pad, conv.pad, conv.dims);
  spatial(p.stride, conv.stride, conv.dims);
  spatial(p.dilation, conv.dilation, conv.dims);
  p.x_nhwc = channels_last(x);
  p.w_nhwc = w.format == kNhwc;
  p.y_nhwc = channels_last(y);
  if (shapes) shapes->add(x).add(w).add(y);
  if (!consistent(p) || y.dim[0] != x.dim[0] || y.dim[1] != w.dim[0]) {
    return fail(kBadParamShapeMismatch, "output does not fit input, filter and convolution"), false;
  }
  return true;
}

int algorithm_count(ConvKind kind) {
  if (kind == ConvKind::fprop) return 8;
  return kind == ConvKind::dgrad ? 6 : 7;
}

void apply_algorithm(ConvKind kind, int algorithm, ConvProblem* problem) {
  // Algorithm 1 of each direction is the implicit GEMM with precomputed indices, the one with tensor cores;
  // algorithm 0 computes them as it goes and needs no memory.
  bool allowed = problem->math_type != kFmaMath && algorithm == 1;
  problem->engine = algorithm;
  problem->notes = allowed ? tensor_core_notes(problem->x_type) : 0;
  problem->workspace = algorithm == 0 ? 0 : conv_workspace(kind, *problem, problem->notes != 0);
}

}  // namespace maya::cudnn
