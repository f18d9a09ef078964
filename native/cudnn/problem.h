// What is recorded of the operations that both the legacy functions and operation graphs can ask for.
//
// Each struct is a row of int64 fields in the order of its list of names.
#pragma once

#include <cstdint>

#include "maya/record.h"

namespace maya::cudnn {

// Spatial extents are depth, height, width; what a problem has no use for is 1 (0 for paddings).
struct ConvProblem {
  int64_t graph = 0;  // string: the operation graph in words, or the legacy function's name
  int64_t engine = 0;
  int64_t workspace = 0;
  int64_t notes = 0;  // bit n: numerical note n (0: tensor cores, with TF32 where types are fp32)
  int64_t x_type = 0, w_type = 0, y_type = 0, compute_type = 0, math_type = 0;
  int64_t mode = 1;
  int64_t spatial_dims = 2;
  int64_t n = 1, c = 1, in[3] = {1, 1, 1};
  int64_t k = 1, filter_c = 1, filter[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0}, post_pad[3] = {0, 0, 0};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t groups = 1;
  int64_t x_nhwc = 0, w_nhwc = 0, y_nhwc = 0;
  int64_t fused_ops = 0;  // further operations of the graph: bias, activation, ...
};

struct AttentionProblem {
  int64_t graph = 0, engine = 0, workspace = 0, notes = 0;
  int64_t q_type = 0, k_type = 0, v_type = 0, o_type = 0, compute_type = 0;
  int64_t b = 1, h_q = 1, h_k = 1, h_v = 1, s_q = 1, s_kv = 1, d_qk = 1, d_v = 1;
  int64_t causal = 0;
  int64_t window = 0;  // keys that a sliding window shows to a query; 1: nobody knows how many; 0: no window
  int64_t padding = 0, bias = 0, dropout = 0, ragged = 0, stats = 0;
  int64_t ops = 0;
};

struct NormProblem {
  int64_t graph = 0, engine = 0, workspace = 0, reserve = 0, notes = 0;
  int64_t mode = 0;  // cudnnBackendNormMode_t (2 is batch normalisation)
  int64_t training = 1;
  int64_t x_type = 0, y_type = 0, scale_type = 0;
  int64_t n = 1, c = 1, spatial[3] = {1, 1, 1};
  int64_t scale_elements = 1;
  int64_t nhwc = 0;
  int64_t persistent = 0;  // the legacy modes that keep statistics on chip
  int64_t fused = 0;       // 1 activation, 2 addition and activation; further operations of a graph
};

struct MatmulProblem {
  int64_t graph = 0, engine = 0, workspace = 0, notes = 0;
  int64_t a_type = 0, b_type = 0, c_type = 0, compute_type = 0;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  int64_t matmuls = 1, fused_ops = 0;
};

struct GraphProblem {
  int64_t graph = 0, engine = 0, workspace = 0, notes = 0;
  int64_t ops = 0;
  int64_t in_bytes = 0, out_bytes = 0;  // of the tensors in memory
  int64_t largest = 0;                  // elements of the largest tensor, virtual ones included
};

extern Schema conv_fprop_schema, conv_dgrad_schema, conv_wgrad_schema;
extern Schema sdpa_fwd_schema, sdpa_bwd_schema;
extern Schema norm_fwd_schema, norm_bwd_schema;
extern Schema matmul_schema, graph_schema;

// With data types as they are recorded.
ConvProblem recorded(ConvProblem problem);
AttentionProblem recorded(AttentionProblem problem);
NormProblem recorded(NormProblem problem);
MatmulProblem recorded(MatmulProblem problem);
inline GraphProblem recorded(GraphProblem problem) {
  return problem;
}

template <typename Problem>
void submit_problem(Schema& schema, const Problem& asked, Stream& stream, Blob blob = {}) {
  Problem problem = recorded(asked);
  submit(schema, reinterpret_cast<const int64_t*>(&problem), sizeof problem / sizeof(int64_t), stream, 0, 0,
         blob);
}

}  // namespace maya::cudnn
