// Convolutions as the legacy functions and the operation graphs share them.
#pragma once

#include "descriptor.h"
#include "problem.h"

namespace maya::cudnn {

enum class ConvKind { fprop, dgrad, wgrad };

struct ConvolutionDesc {
  static constexpr int kObject = kConvolutionObject;
  int dims = 0;
  int pad[kMaxDims] = {};
  int stride[kMaxDims] = {};
  int dilation[kMaxDims] = {};
  int mode = 0;
  int compute_type = 0;
  int math_type = kDefaultMath;
  int groups = 1;
  int reorder = 0;
};

// Copies `count` spatial extents to the end of a depth-height-width triple.
template <typename T>
void spatial(int64_t (&to)[3], const T* from, int count) {
  for (int axis = 0; axis < count && axis < 3; ++axis) to[3 - count + axis] = from[axis];
}

// Whether the device has tensor cores for operands of this type (for 32-bit floats: by way of TF32).
bool tensor_cores(int64_t data_type);
// Bits of the numerical notes of a kernel on tensor cores, or 0 where the device has none for the type.
int64_t tensor_core_notes(int64_t data_type);

Schema& schema_of(ConvKind kind);

// Tensor-core kernels read channels-last operands: others are first copied into the workspace.
// Half-precision weight gradients are accumulated there in single precision.
int64_t conv_workspace(ConvKind kind, const ConvProblem& problem, bool on_tensor_cores);

// Reads the descriptors of a legacy call; false (with the failure remembered) where they do not fit.
bool conv_problem(void* x_desc, void* w_desc, void* conv_desc, void* y_desc, ConvProblem* problem,
                  Shapes* shapes);
// Workspace and notes of the algorithm with this number under the descriptor's math type.
void apply_algorithm(ConvKind kind, int algorithm, ConvProblem* problem);
int algorithm_count(ConvKind kind);

}  // namespace maya::cudnn
