// Finalising: checks of a descriptor's attributes, and the read-only ones it gains.
#include <algorithm>

#include "backend_graph.h"
#include "maya/device.h"

namespace maya::cudnn {
namespace {

Bytes number(int64_t value) {
  return encode_value(kTypeInt64, 1, &value, sizeof value);
}
Bytes number32(int type, int32_t value) {
  return encode_value(type, 1, &value, sizeof value);
}

int64_t count_in(const Attributes& attributes, int attribute) {
  return value_in(attributes, attribute).count;
}

// The part set under `attribute`, checked to be of a type; not valid otherwise.
View part(const Attributes& attributes, int attribute, int type) {
  View found = value_in(attributes, attribute).child(0);
  return found.type() == type ? found : View{};
}

int finalize_tensor(const Attributes& attributes) {
  Value dims = value_in(attributes, kTensorDimensions), strides = value_in(attributes, kTensorStrides);
  if (dims.count < 1 || dims.count > kMaxDims || dims.count != strides.count) {
    return fail(kBadParam, "tensor needs as many strides as dimensions, at most 8");
  }
  for (int64_t axis = 0; axis < dims.count; ++axis) {
    if (dims.integer(axis) < 1 || strides.integer(axis) < 0)
      return fail(kBadParam, "dimensions must be positive");
  }
  if (value_in(attributes, kTensorAlignment).integer() < 1)
    return fail(kBadParam, "alignment must be positive");
  return kSuccess;
}

int finalize_convolution(const Attributes& attributes) {
  int64_t spatial_dims = value_in(attributes, kConvSpatialDims).integer();
  for (int attribute : {kConvDilations, kConvStrides, kConvPrePaddings, kConvPostPaddings}) {
    if (count_in(attributes, attribute) != spatial_dims) {
      return fail(kBadParam, "paddings, strides and dilations must fit the spatial dimensions");
    }
  }
  return spatial_dims > 3 ? fail(kNotSupported, "more than three spatial dimensions") : kSuccess;
}

int finalize_graph(Attributes* attributes) {
  Value ops = value_in(*attributes, kGraphOps);
  if (ops.count < 1) return fail(kBadParam, "operation graph is empty");
  for (int64_t i = 0; i < ops.count; ++i) {
    if (!is_operation(ops.child(i).type())) return fail(kBadParam, "operation graph holds something else");
  }
  Value handle = value_in(*attributes, kGraphHandle);
  if (handle.set() && !find(reinterpret_cast<void*>(handle.integer()), kHandleObject)) {
    return fail(kBadParam, "handle of the operation graph is not alive");
  }
  (*attributes)[kGraphEngineCount] = number(kEngineTotal);
  return kSuccess;
}

Bytes knob_info(int type, int64_t minimum, int64_t maximum) {
  Attributes knob;
  knob[kKnobInfoType] = number32(kTypeKnobType, type);
  knob[kKnobInfoMinimum] = number(minimum);
  knob[kKnobInfoMaximum] = number(maximum);
  knob[kKnobInfoStride] = number(1);
  return encode_descriptor(kKnobInfo, knob);
}

int finalize_engine(Attributes* attributes) {
  View graph = part(*attributes, kEngineGraph, kOperationGraph);
  if (!graph.valid()) return fail(kBadParam, "engine needs an operation graph");
  int64_t index = value_in(*attributes, kEngineIndex).integer();
  if (index < 0 || index >= kEngineTotal) return fail(kNotSupported, "no engine with this index");
  std::vector<int32_t> notes, behavior{kNoteSupportsCudaGraph};
  int64_t bits = engine_notes(graph, index);
  for (int32_t note = 0; note < 10; ++note) {
    if (bits & 1 << note) notes.push_back(note);
  }
  if (!is_conv(kind_of(operations(graph)))) behavior.push_back(kNoteRuntimeCompilation);
  (*attributes)[kEngineNumericalNotes] = encode_numbers(kTypeNumericalNote, notes);
  (*attributes)[kEngineBehaviorNotes] = encode_numbers(kTypeBehaviorNote, behavior);
  (*attributes)[kEngineKnobInfo] =
      encode_descriptors({knob_info(kKnobSplitK, 1, 8), knob_info(kKnobTileSize, 0, 7)});
  return kSuccess;
}

int finalize_config(Attributes* attributes) {
  View engine = part(*attributes, kConfigEngine, kEngine);
  if (!engine.valid()) return fail(kBadParam, "engine configuration needs an engine");
  int64_t bytes = engine_workspace(engine.child(kEngineGraph), engine.integer(kEngineIndex));
  (*attributes)[kConfigWorkspaceSize] = number(bytes);
  (*attributes)[kConfigSharedMemoryUsed] = number32(kTypeInt32, device_model().shared_per_block);
  return kSuccess;
}

Bytes knob_choice(int type, int64_t value) {
  Attributes knob;
  knob[kKnobChoiceType] = number32(kTypeKnobType, type);
  knob[kKnobChoiceValue] = number(value);
  return encode_descriptor(kKnobChoice, knob);
}

int finalize_heuristics(Attributes* attributes) {
  constexpr int64_t kFallbackMode = 2;
  View graph = part(*attributes, kHeurGraph, kOperationGraph);
  if (!graph.valid()) return fail(kBadParam, "heuristics need an operation graph");
  bool fallback = value_in(*attributes, kHeurMode).integer() == kFallbackMode;
  std::vector<Bytes> results;
  for (int64_t index : engine_order(graph, fallback)) {
    Attributes engine, config;
    engine[kEngineGraph] = encode_descriptors({graph.copy()});
    engine[kEngineIndex] = number(index);
    int status = finalize_engine(&engine);
    if (status != kSuccess) return status;
    config[kConfigEngine] = encode_descriptors({encode_descriptor(kEngine, engine)});
    config[kConfigKnobChoices] = encode_descriptors({knob_choice(kKnobTileSize, 0)});
    finalize_config(&config);
    results.push_back(encode_descriptor(kEngineConfig, config));
  }
  (*attributes)[kHeurResults] = encode_descriptors(results);
  return kSuccess;
}

// What executing the plan will need, prepared once.
void prepare(const View& graph, int64_t engine, Attributes* attributes) {
  std::vector<View> ops = operations(graph);
  std::vector<int64_t> outputs, inputs;
  each_tensor(ops, [&](const View& view, bool output) {
    GraphTensor tensor = read_tensor(view);
    if (!tensor.is_virtual && !tensor.by_value) (output ? outputs : inputs).push_back(tensor.uid);
  });
  std::vector<int64_t> order = engine_order(graph, false);
  int64_t rank = std::find(order.begin(), order.end(), engine) - order.begin();
  (*attributes)[kPlanRecord] = encode_numbers(kTypeInt64, record_fields(graph, engine, {}));
  (*attributes)[kPlanOutputs] = encode_numbers(kTypeInt64, outputs);
  (*attributes)[kPlanInputs] = encode_numbers(kTypeInt64, inputs);
  (*attributes)[kPlanRank] = number(rank);
  (*attributes)[kPlanRuns] = Bytes(sizeof(int64_t));  // here, so that executing adds no attribute
  (*attributes)[kPlanKind] = number(static_cast<int64_t>(kind_of(ops)));
}

int finalize_plan(Attributes* attributes) {
  Value json = value_in(*attributes, kPlanJson);
  if (json.set()) {
    Bytes config;
    if (!config_from_json(json, &config)) return fail(kBadParam, "JSON describes no execution plan");
    (*attributes)[kPlanEngineConfig] = encode_descriptors({config});
    attributes->erase(kPlanJson);
  }
  View config = part(*attributes, kPlanEngineConfig, kEngineConfig);
  View engine = config.valid() ? config.child(kConfigEngine) : View{};
  if (!engine.valid()) return fail(kBadParam, "execution plan needs an engine configuration");
  (*attributes)[kPlanWorkspaceSize] = number(config.integer(kConfigWorkspaceSize));
  prepare(engine.child(kEngineGraph), engine.integer(kEngineIndex), attributes);
  return kSuccess;
}

int finalize_pack(const Attributes& attributes) {
  Value uids = value_in(attributes, kPackUids);
  if (uids.count != count_in(attributes, kPackPointers))
    return fail(kBadParam, "a pointer is needed for each id");
  return kSuccess;
}

void finalize_text(Attributes* attributes, int attribute) {
  if (attributes->count(attribute)) return;
  (*attributes)[attribute] = encode_value(kTypeChar, 2, "{}", 2);
}

}  // namespace

int finalize(int type, Attributes* attributes) {
  bool from_json = type == kExecutionPlan && attributes->count(kPlanJson);
  if (!from_json && missing_attribute(type, *attributes) >= 0)
    return fail(kBadParam, "an attribute is not set");
  switch (type) {
    case kBackendTensor:
      return finalize_tensor(*attributes);
    case kBackendConvolution:
      return finalize_convolution(*attributes);
    case kOperationGraph:
      return finalize_graph(attributes);
    case kEngine:
      return finalize_engine(attributes);
    case kEngineConfig:
      return finalize_config(attributes);
    case kEngineHeuristics:
      return finalize_heuristics(attributes);
    case kExecutionPlan:
      return finalize_plan(attributes);
    case kVariantPack:
      return finalize_pack(*attributes);
    case kKernelCache:
      return finalize_text(attributes, kKernelCacheJson), kSuccess;
    case kDeviceProperties:
      return finalize_text(attributes, kDevicePropJson), kSuccess;
    default:
      return kSuccess;
  }
}

}  // namespace maya::cudnn
