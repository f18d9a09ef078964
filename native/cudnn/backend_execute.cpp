// Executing plans.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "backend_graph.h"
#include "gen/cudnn.h"
#include "maya/graph.h"
#include "maya/memory.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

struct Execution {
  maya::Handle* library = nullptr;
  maya::Handle* plan = nullptr;
  maya::Handle* pack = nullptr;
};

maya::Handle* ready(void* descriptor, int type) {
  maya::Handle* found = find(descriptor, kBackendObject + type);
  return found && found->attributes.count(kFinalized) ? found : nullptr;
}

// The pointer that a pack gives for a tensor; null where it gives none.
const void* pointer_for(const maya::Handle& pack, int64_t uid) {
  Value uids = value_in(pack.attributes, kPackUids), pointers = value_in(pack.attributes, kPackPointers);
  for (int64_t i = 0; i < uids.count; ++i) {
    if (uids.integer(i) == uid) return reinterpret_cast<const void*>(pointers.integer(i));
  }
  return nullptr;
}

bool all_given(const maya::Handle& plan, const maya::Handle& pack, int list) {
  Value uids = value_in(plan.attributes, list);
  for (int64_t i = 0; i < uids.count; ++i) {
    if (!pointer_for(pack, uids.integer(i))) return false;
  }
  return true;
}

int check(void* handle, void* plan, void* pack, Execution* execution) {
  execution->library = library(handle);
  if (!execution->library) return kBadParam;
  if (!find(plan, kBackendObject + kExecutionPlan) || !find(pack, kBackendObject + kVariantPack)) {
    return fail(kBadParam, "not a live plan and variant pack");
  }
  execution->plan = ready(plan, kExecutionPlan);
  execution->pack = ready(pack, kVariantPack);
  if (!execution->plan || !execution->pack)
    return fail(kBadParamNotFinalized, "plan or pack is not finalised");
  if (!all_given(*execution->plan, *execution->pack, kPlanInputs) ||
      !all_given(*execution->plan, *execution->pack, kPlanOutputs)) {
    return fail(kBadParamNullPointer, "variant pack lacks the pointer of a tensor");
  }
  int64_t workspace = value_in(execution->plan->attributes, kPlanWorkspaceSize).integer();
  if (workspace > 0 && value_in(execution->pack->attributes, kPackWorkspace).integer() == 0) {
    return fail(kBadParamNullPointer, "workspace is needed and not given");
  }
  return kSuccess;
}

// Shapes come as one array of numbers per tensor, of that tensor's rank.
Overrides overrides_in(const maya::Handle& pack, const View& graph) {
  Value uids = value_in(pack.attributes, kPackOverrideUids);
  Value shapes = value_in(pack.attributes, kPackOverrideShapes);
  Value strides = value_in(pack.attributes, kPackOverrideStrides);
  Overrides overrides;
  each_tensor(operations(graph), [&](const View& view, bool) {
    GraphTensor tensor = read_tensor(view);
    for (int64_t i = 0; i < std::min({uids.count, shapes.count, strides.count}); ++i) {
      auto* dims = reinterpret_cast<const int64_t*>(shapes.integer(i));
      auto* steps = reinterpret_cast<const int64_t*>(strides.integer(i));
      if (uids.integer(i) != tensor.uid || !dims || !steps) continue;
      size_t rank = tensor.dims.size();
      overrides.push_back({tensor.uid, {dims, dims + rank}, {steps, steps + rank}});
    }
  });
  return overrides;
}

struct Fields {
  std::vector<int64_t> own;  // only where the pack says more than the plan
  const int64_t* data = nullptr;
  size_t count = 0;
};

GraphKind kind_of(const Execution& execution) {
  return static_cast<GraphKind>(value_in(execution.plan->attributes, kPlanKind).integer());
}

// By value on the host, an integer or a real number; false where it is neither.
bool read_bound(const Execution& execution, const GraphTensor& bound, int64_t* keys) {
  const void* given = bound.dims.empty() ? nullptr : pointer_for(*execution.pack, bound.uid);
  if (!given || maya::is_device_address(reinterpret_cast<uintptr_t>(given))) return false;
  float real;
  int32_t whole;
  std::memcpy(&real, given, sizeof real);
  std::memcpy(&whole, given, sizeof whole);
  *keys = bound.type == kFloat ? static_cast<int64_t>(real) : whole;
  return bound.type == kFloat || bound.type == kInt32;
}

// How wide a sliding window is stands in the pack alone.
void add_window(const Execution& execution, const View& graph, Fields& fields) {
  constexpr size_t kWindow = offsetof(AttentionProblem, window) / sizeof(int64_t);
  GraphKind kind = kind_of(execution);
  if ((kind != GraphKind::sdpa_fwd && kind != GraphKind::sdpa_bwd) || !fields.data[kWindow]) return;
  int64_t keys = 0;
  if (!read_bound(execution, window_bound(operations(graph)), &keys)) return;
  // Counted from the last key where there are more keys than queries.
  auto& problem = *reinterpret_cast<const AttentionProblem*>(fields.data);
  if (keys <= 1) keys += problem.s_kv - problem.s_q;
  if (keys <= 1) return;
  if (fields.own.empty()) fields.own.assign(fields.data, fields.data + fields.count);
  fields.own[kWindow] = keys;
  fields.data = fields.own.data();
}

Fields fields_of(const Execution& execution) {
  Fields fields;
  const maya::Handle& plan = *execution.plan;
  View engine = value_in(plan.attributes, kPlanEngineConfig).child(0).child(kConfigEngine);
  View graph = engine.child(kEngineGraph);
  if (value_in(execution.pack->attributes, kPackOverrideUids).count > 0) {
    fields.own = record_fields(graph, engine.integer(kEngineIndex), overrides_in(*execution.pack, graph));
    fields.data = fields.own.data();
    fields.count = fields.own.size();
  } else {
    Value prepared = value_in(plan.attributes, kPlanRecord);
    fields.data = reinterpret_cast<const int64_t*>(prepared.data);
    fields.count = static_cast<size_t>(prepared.count);
  }
  add_window(execution, graph, fields);
  return fields;
}

// A program that times plans to choose the fastest must come to the heuristics' choice, or its records
// would depend on the noise of this machine: less preferred plans take longer in their first runs.
void pretend_slower(maya::Handle& plan) {
  constexpr int64_t kTimedRuns = 6;
  constexpr uint64_t kStepNs = 30000;
  int64_t rank = value_in(plan.attributes, kPlanRank).integer();
  if (rank == 0) return;
  auto runs = maya::get<int64_t>(plan, kPlanRuns);
  if (runs >= kTimedRuns) return;
  maya::set(plan, kPlanRuns, runs + 1);
  uint64_t until = maya::now_ns() + static_cast<uint64_t>(rank) * kStepNs;
  while (maya::now_ns() < until) {
  }
}

maya::Schema& schema_for(const Execution& execution) {
  return schema_of(kind_of(execution));
}

}  // namespace

extern "C" {

int cudnnBackendExecute(void* handle, void* executionPlan, void* variantPack) {
  maya::Call call;
  Execution execution;
  int status = check(handle, executionPlan, variantPack, &execution);
  if (status != kSuccess) return status;
  Fields fields = fields_of(execution);
  maya::submit(schema_for(execution), fields.data, fields.count, maya::stream_of(*execution.library), 0, 0);
  Value outputs = value_in(execution.plan->attributes, kPlanOutputs);
  for (int64_t i = 0; i < outputs.count; ++i) written(pointer_for(*execution.pack, outputs.integer(i)));
  pretend_slower(*execution.plan);
  return kSuccess;
}

int cudnnGetExecutionPlanWorkspaceSize(void* handle, void* executionPlan, void* variantPack,
                                       size_t* workspaceSizeInBytes) {
  if (!library(handle)) return kBadParam;
  maya::Handle* plan = ready(executionPlan, kExecutionPlan);
  if (!plan || !ready(variantPack, kVariantPack)) return fail(kBadParamNotFinalized, "plan is not finalised");
  if (!workspaceSizeInBytes) return fail(kBadParamNullPointer, "workspaceSizeInBytes == nullptr");
  *workspaceSizeInBytes = static_cast<size_t>(value_in(plan->attributes, kPlanWorkspaceSize).integer());
  return kSuccess;
}

int cudnnBackendPopulateCudaGraph(void* handle, void* executionPlan, void* variantPack, void* graph) {
  maya::Call call;
  Execution execution;
  int status = check(handle, executionPlan, variantPack, &execution);
  if (status != kSuccess) return status;
  maya::Graph* target = maya::find_graph(graph);
  if (!target) return fail(kBadParam, "not a live CUDA graph");
  if (!target->nodes.empty()) return fail(kBadParamCudaGraphMismatch, "CUDA graph is not empty");
  Fields fields = fields_of(execution);
  uint32_t definition = maya::define(schema_for(execution), fields.data, fields.count);
  maya::add_node(*target, maya::NodeType::kernel, definition, {});
  return kSuccess;
}

int cudnnBackendUpdateCudaGraph(void* handle, void* executionPlan, void* variantPack, void* graph) {
  Execution execution;
  int status = check(handle, executionPlan, variantPack, &execution);
  if (status != kSuccess) return status;
  maya::Graph* target = maya::find_graph(graph);
  if (!target) return fail(kBadParam, "not a live CUDA graph");
  // Only pointers may change, and those are not part of a definition.
  if (target->nodes.size() != 1)
    return fail(kBadParamCudaGraphMismatch, "CUDA graph was not made from this plan");
  return kSuccess;
}

}  // extern "C"
