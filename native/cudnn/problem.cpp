#include "problem.h"

#include <initializer_list>
#include <iterator>

#include "descriptor.h"

namespace maya::cudnn {
namespace {

constexpr const char* kConvFields[] = {
    "graph:s",    "engine",     "workspace", "notes",    "x_type",   "w_type",     "y_type",
    "compute",    "math_type",  "mode",      "spatial",  "n",        "c",          "in_d",
    "in_h",       "in_w",       "k",         "filter_c", "filter_d", "filter_h",   "filter_w",
    "out_d",      "out_h",      "out_w",     "pad_d",    "pad_h",    "pad_w",      "post_pad_d",
    "post_pad_h", "post_pad_w", "stride_d",  "stride_h", "stride_w", "dilation_d", "dilation_h",
    "dilation_w", "groups",     "x_nhwc",    "w_nhwc",   "y_nhwc",   "fused_ops"};

constexpr const char* kAttentionFields[] = {
    "graph:s", "engine",  "workspace", "notes",   "q_type", "k_type", "v_type", "o_type", "compute",
    "b",       "h_q",     "h_k",       "h_v",     "s_q",    "s_kv",   "d_qk",   "d_v",    "causal",
    "window",  "padding", "bias",      "dropout", "ragged", "stats",  "ops"};

constexpr const char* kNormFields[] = {
    "graph:s", "engine",         "workspace",  "reserve",    "notes", "mode", "training",
    "x_type",  "y_type",         "scale_type", "n",          "c",     "d",    "h",
    "w",       "scale_elements", "nhwc",       "persistent", "fused"};

constexpr const char* kMatmulFields[] = {"graph:s", "engine", "workspace", "notes",    "a_type",
                                         "b_type",  "c_type", "compute",   "batch",    "m",
                                         "n",       "k",      "matmuls",   "fused_ops"};

constexpr const char* kGraphFields[] = {"graph:s", "engine",   "workspace", "notes",
                                        "ops",     "in_bytes", "out_bytes", "largest"};

template <typename Problem, size_t count>
constexpr bool fits(const char* const (&)[count]) {
  return sizeof(Problem) == count * sizeof(int64_t);
}
static_assert(fits<ConvProblem>(kConvFields), "a name for every field");
static_assert(fits<AttentionProblem>(kAttentionFields), "a name for every field");
static_assert(fits<NormProblem>(kNormFields), "a name for every field");
static_assert(fits<MatmulProblem>(kMatmulFields), "a name for every field");
static_assert(fits<GraphProblem>(kGraphFields), "a name for every field");

}  // namespace

namespace {

void convert(std::initializer_list<int64_t*> types) {
  for (int64_t* type : types) *type = cuda_type(*type);
}

}  // namespace

ConvProblem recorded(ConvProblem p) {
  convert({&p.x_type, &p.w_type, &p.y_type, &p.compute_type});
  return p;
}

AttentionProblem recorded(AttentionProblem p) {
  convert({&p.q_type, &p.k_type, &p.v_type, &p.o_type, &p.compute_type});
  return p;
}

NormProblem recorded(NormProblem p) {
  convert({&p.x_type, &p.y_type, &p.scale_type});
  return p;
}

MatmulProblem recorded(MatmulProblem p) {
  convert({&p.a_type, &p.b_type, &p.c_type, &p.compute_type});
  return p;
}

Schema conv_fprop_schema{"cudnn_conv_fprop", Kind::library, kConvFields, std::size(kConvFields)};
Schema conv_dgrad_schema{"cudnn_conv_dgrad", Kind::library, kConvFields, std::size(kConvFields)};
Schema conv_wgrad_schema{"cudnn_conv_wgrad", Kind::library, kConvFields, std::size(kConvFields)};
Schema sdpa_fwd_schema{"cudnn_sdpa_fwd", Kind::library, kAttentionFields, std::size(kAttentionFields)};
Schema sdpa_bwd_schema{"cudnn_sdpa_bwd", Kind::library, kAttentionFields, std::size(kAttentionFields)};
Schema norm_fwd_schema{"cudnn_norm_fwd", Kind::library, kNormFields, std::size(kNormFields)};
Schema norm_bwd_schema{"cudnn_norm_bwd", Kind::library, kNormFields, std::size(kNormFields)};
Schema matmul_schema{"cudnn_matmul", Kind::library, kMatmulFields, std::size(kMatmulFields)};
Schema graph_schema{"cudnn_graph", Kind::library, kGraphFields, std::size(kGraphFields)};

}  // namespace maya::cudnn
