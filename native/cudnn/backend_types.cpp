// The kinds of backend descriptors: which attributes they have and which they need.
#include "backend.h"

namespace maya::cudnn {
namespace {

struct TypeInfo {
  const char* name;
  int first, last;  // range of its attributes' numbers
  int required[6];  // ended by -1
};

// By number of the type.
constexpr TypeInfo kTypes[] = {
    {"pointwise", 0, 99, {kPointwiseMode, -1}},
    {"convolution",
     100,
     199,
     {kConvCompType, kConvSpatialDims, kConvDilations, kConvStrides, kConvPrePaddings, -1}},
    {"engine", 1300, 1399, {kEngineGraph, kEngineIndex, -1}},
    {"engine_config", 300, 399, {kConfigEngine, -1}},
    {"heuristics", 200, 299, {kHeurGraph, kHeurMode, -1}},
    {"plan", 400, 499, {kPlanEngineConfig, -1}},
    {"intermediate_info", 500, 599, {-1}},
    {"knob_choice", 600, 699, {kKnobChoiceType, kKnobChoiceValue, -1}},
    {"knob_info", 1200, 1299, {-1}},
    {"layout_info", 1100, 1199, {-1}},
    {"conv_fprop", 700, 705, {kFpropConv, kFpropW, kFpropX, kFpropY, -1}},
    {"conv_wgrad", 712, 717, {kWgradConv, kWgradDw, kWgradX, kWgradDy, -1}},
    {"conv_dgrad", 706, 711, {kDgradConv, kDgradW, kDgradDx, kDgradDy, -1}},
    {"pointwise", 750, 769, {kPointwiseDescriptor, -1}},
    {"gen_stats", 770, 779, {772, 773, 774, -1}},
    {"graph", 800, 899, {kGraphOps, -1}},
    {"variant_pack", 1000, 1099, {kPackUids, kPackPointers, -1}},
    {"tensor",
     900,
     999,
     {kTensorDataType, kTensorDimensions, kTensorStrides, kTensorUid, kTensorAlignment, -1}},
    {"matmul", 1500, 1519, {kMatmulCompType, -1}},
    {"matmul", 1520, 1599, {kMatmulDescriptor, kMatmulA, kMatmulB, kMatmulC, -1}},
    {"bn_finalize", 780, 799, {-1}},
    {"reduction", 1600, 1609, {kReductionOperator, kReductionCompType, -1}},
    {"reduction", 1610, 1619, {1610, 1611, 1612, -1}},
    {"bn_bwd_weights", 1620, 1699, {-1}},
    {"resample", 1700, 1709, {1700, 1702, -1}},
    {"resample_fwd", 1710, 1719, {1710, 1711, 1716, -1}},
    {"resample_bwd", 1720, 1729, {1720, 1721, 1725, -1}},
    {"concat", 1800, 1899, {1800, 1801, 1803, -1}},
    {"signal", 1900, 1949, {1900, 1901, -1}},
    {"norm_fwd", 2000, 2099, {kNormForwardMode, kNormForwardPhase, kNormForwardX, kNormForwardY, -1}},
    {"norm_bwd", 2100, 2199, {kNormBackwardMode, kNormBackwardX, kNormBackwardDx, -1}},
    {"reshape", 2200, 2249, {2200, 2201, -1}},
    {"rng", 2300, 2309, {2300, -1}},
    {"rng", 2310, 2399, {2310, 2312, -1}},
    {"kernel_cache", 2400, 2499, {-1}},
    {"paged_cache_load", 1950, 1999, {1950, 1951, 1953, -1}},
    {"block_scale_quantize", 2500, 2599, {2500, 2501, 2502, -1}},
    {"block_scale_dequantize", 2600, 2699, {2600, 2601, 2602, -1}},
    {"device_properties", 2700, 2799, {-1}},
    {"expand_band_matrix", 2250, 2269, {2250, 2251, -1}},
    {"contract_band_matrix", 2270, 2299, {2270, 2271, -1}},
    {"sdpa_fwd", 2800, 2850, {kSdpaForwardQ, kSdpaForwardK, kSdpaForwardV, kSdpaForwardO, -1}},
    {"moe_grouped_matmul", 2900, 2950, {2902, 2903, 2905, -1}},
    {"sdpa_bwd", 2851, 2899, {kSdpaBackwardQ, kSdpaBackwardK, kSdpaBackwardV, kSdpaBackwardO, -1}},
    {"diagonal_band_mask", 3000, 3099, {3000, 3006, -1}},
    {"softmax", 3100, 3199, {-1}},
    {"transpose", 3200, 3299, {3200, 3201, -1}},
    {"slice", 3300, 3399, {3300, 3301, -1}},
    {"moe_grouped_matmul_bwd", 2951, 2999, {2952, 2953, 2955, -1}},
    {"rope_fwd", 3400, 3409, {3400, 3401, -1}},
    {"rope_bwd", 3410, 3419, {3410, 3411, -1}},
};
constexpr int kTypeTotal = sizeof kTypes / sizeof kTypes[0];

}  // namespace

bool known_type(int type) {
  return type >= 0 && type < kTypeTotal;
}

const char* type_name(int type) {
  return known_type(type) ? kTypes[type].name : "unknown";
}

bool is_operation(int type) {
  switch (type) {
    case kOperationGraph:
    case kVariantPack:
    case kBackendTensor:
    case kMatmul:
    case kReduction:
    case kResample:
    case kRng:
    case kKernelCache:
    case kDeviceProperties:
      return false;
    default:
      return type >= kOpConvForward && type < kTypeTotal;
  }
}

bool belongs(int type, int attribute) {
  return known_type(type) && attribute >= kTypes[type].first && attribute <= kTypes[type].last;
}

// Only of attributes that programs get wrong in practice, or on which the code here depends.
bool type_fits(int attribute, int attribute_type) {
  static constexpr int kDescriptors[] = {kHeurGraph,
                                         kConfigEngine,
                                         kConfigKnobChoices,
                                         kPlanEngineConfig,
                                         kFpropX,
                                         kFpropW,
                                         kFpropY,
                                         kFpropConv,
                                         kDgradDx,
                                         kDgradW,
                                         kDgradDy,
                                         kDgradConv,
                                         kWgradX,
                                         kWgradDw,
                                         kWgradDy,
                                         kWgradConv,
                                         kGraphOps,
                                         kTensorRaggedOffset,
                                         kEngineGraph,
                                         kMatmulA,
                                         kMatmulB,
                                         kMatmulC,
                                         kMatmulDescriptor,
                                         kHeurResults,
                                         kPointwiseDescriptor};
  static constexpr int kIntegers[] = {kConvDilations,    kConvStrides,   kConvPostPaddings,  kConvPrePaddings,
                                      kConvSpatialDims,  kEngineIndex,   kPlanWorkspaceSize, kTensorAlignment,
                                      kTensorDimensions, kTensorStrides, kTensorUid,         kPackUids};
  for (int number : kDescriptors) {
    if (number == attribute) return attribute_type == kTypeDescriptor;
  }
  for (int number : kIntegers) {
    if (number == attribute) return attribute_type == kTypeInt64;
  }
  if (attribute == kTensorDataType || attribute == kConvCompType) return attribute_type == kTypeDataType;
  if (attribute == kPackPointers || attribute == kPackWorkspace) return attribute_type == kTypeVoidPtr;
  return true;
}

int missing_attribute(int type, const Attributes& attributes) {
  for (const int* required = kTypes[type].required; *required >= 0; ++required) {
    if (!attributes.count(*required)) return *required;
  }
  return -1;
}

size_t attribute_bytes(int attribute_type) {
  switch (attribute_type) {
    case kTypeBoolean:
    case kTypeChar:
      return 1;
    case kTypeHandle:
    case kTypeInt64:
    case kTypeDouble:
    case kTypeVoidPtr:
    case kTypeDescriptor:
      return 8;
    case kTypeFraction:
      return 16;
    default:
      return 4;
  }
}

}  // namespace maya::cudnn
