// cuBLASLt's descriptors. Their storage belongs to the program, which may keep them on its stack (the Init
// functions) or copy them as plain structs; so what they hold is inside them, in the space its header
// reserves.
#pragma once

#include "cublas/constants.h"

namespace maya::cublaslt {

using namespace maya::cublas;  // one set of statuses serves both libraries

#if MAYA_CUDA_MAJOR >= 13
constexpr size_t kLayoutBytes = 112;
constexpr size_t kPreferenceBytes = 96;
#else
constexpr size_t kLayoutBytes = 64;
constexpr size_t kPreferenceBytes = 64;
#endif

struct Layout {
  static constexpr uint32_t kTag = 0x4d41594c;
  static constexpr size_t kOpaqueBytes = kLayoutBytes;
  uint32_t tag = kTag;
  int32_t type = 0;
  int32_t order = 0;
  int32_t batch = 1;
  uint64_t rows = 0;
  uint64_t cols = 0;
  int64_t ld = 0;
  int64_t stride = 0;
  int64_t plane = 0;
  int32_t batch_mode = 0;
};

struct Matmul {
  static constexpr uint32_t kTag = 0x4d41594d;
  static constexpr size_t kOpaqueBytes = 256;
  uint32_t tag = kTag;
  int32_t compute_type = 0;
  int32_t scale_type = 0;
  int32_t pointer_mode = 0;
  int32_t transa = 0;
  int32_t transb = 0;
  int32_t transc = 0;
  int32_t fill_mode = 2;  // full
  uint32_t epilogue = 1;  // default: none
  int32_t aux_type = -1;
  int32_t bias_type = -1;
  int32_t sm_count_target = 0;
  int32_t scale_mode[4] = {};  // of A, B, C, D
  int32_t aux_scale_mode = 0;
  int32_t d_out_scale_mode = 0;
  int32_t chunks[2] = {};  // rows and columns of D that are synchronised one by one
  const void* bias = nullptr;
  int64_t bias_stride = 0;
  void* aux = nullptr;
  int64_t aux_ld = 0;
  int64_t aux_stride = 0;
  int64_t alpha_vector_stride = 0;
  const void* scale[4] = {};  // of A, B, C, D
  void* amax_d = nullptr;
  const void* aux_scale = nullptr;
  void* aux_amax = nullptr;
  void* d_out_scale = nullptr;
  void* emulation = nullptr;
  int64_t alpha_stride = 0;
  int64_t beta_stride = 0;
  int8_t fast_accum = 0;
};

struct Preference {
  static constexpr uint32_t kTag = 0x4d415950;
  static constexpr size_t kOpaqueBytes = kPreferenceBytes;
  uint32_t tag = kTag;
  uint32_t search_mode = 0;
  uint64_t max_workspace_bytes = 0;
  uint32_t reduction_mask = 7;
  uint32_t min_alignment[4] = {256, 256, 256, 256};  // of A, B, C, D
  float max_waves = 0;
  uint64_t impl_mask = ~0ull;
#if MAYA_CUDA_MAJOR >= 13
  int64_t grouped_average[3] = {};
#endif
};

struct Transform {
  static constexpr uint32_t kTag = 0x4d415954;
  static constexpr size_t kOpaqueBytes = 64;
  uint32_t tag = kTag;
  int32_t scale_type = 0;
  int32_t pointer_mode = 0;
  int32_t transa = 0;
  int32_t transb = 0;
};

struct Emulation {
  static constexpr uint32_t kTag = 0x4d415945;
  static constexpr size_t kOpaqueBytes = 64;
  uint32_t tag = kTag;
  int32_t strategy = 0;
  int32_t special_values = 0;
  int32_t mantissa_control = 0;
  int32_t max_mantissa_bits = 0;
  int32_t mantissa_bit_offset = 0;
  int* mantissa_bits = nullptr;
};

// What cublasLtMatmulAlgo_t holds: a chosen kernel and its configuration.
struct Algorithm {
  static constexpr uint32_t kTag = 0x4d415941;
  static constexpr size_t kOpaqueBytes = 64;
  uint32_t tag = kTag;
  int32_t id = 0;
  uint32_t tile = 0;
  uint32_t split_k = 0;
  uint32_t reduction_scheme = 0;
  uint32_t swizzling = 0;
  uint32_t custom_option = 0;
  uint32_t stages = 0;
  uint16_t inner_shape = 0;
  uint16_t cluster_shape = 0;
};

static_assert(sizeof(Layout) <= Layout::kOpaqueBytes && sizeof(Matmul) <= Matmul::kOpaqueBytes);
static_assert(sizeof(Preference) <= Preference::kOpaqueBytes && sizeof(Algorithm) <= Algorithm::kOpaqueBytes);

// The descriptor behind a program's pointer; null where it is none of this kind.
template <typename Descriptor>
Descriptor* as(void* pointer) {
  auto* descriptor = static_cast<Descriptor*>(pointer);
  return descriptor && descriptor->tag == Descriptor::kTag ? descriptor : nullptr;
}

template <typename Descriptor>
const Descriptor* as(const void* pointer) {
  return as<Descriptor>(const_cast<void*>(pointer));
}

}  // namespace maya::cublaslt
