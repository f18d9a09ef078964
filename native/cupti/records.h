// The activity records as CUPTI 12.8 and 13.2 lay them out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maya::cupti {

struct alignas(8) RecordHead {
  int32_t kind;
};

struct alignas(8) ApiRecord {
  int32_t kind;
  uint32_t function;
  uint64_t start, end;
  uint32_t process, thread, correlation, return_value;
};

struct alignas(8) ExternalCorrelationRecord {
  int32_t kind, external_kind;
  uint64_t external_id;
  uint32_t correlation, reserved;
};

struct alignas(8) SynchronizationRecord {
  int32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
  uint64_t event_sync;
  uint32_t return_value, padding;
};

struct alignas(8) CopyRecord {
  int32_t kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtime_correlation, padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t device_launched, padding2[3];
  uint64_t copies;
};

struct alignas(8) PeerCopyRecord {
  int32_t kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t source_device, source_context, target_device, target_context, correlation;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
};

struct alignas(8) MemsetRecord {
  int32_t kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory_kind;
  uint32_t padding;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t device_launched, padding2[3];
};

struct alignas(8) KernelRecord {
  int32_t kind;
  uint8_t cache, shared_config;
  uint16_t registers;
  int32_t partitioned_requested, partitioned_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_executed;
  uint64_t graph_node;
  int32_t shared_limit;
  uint32_t graph;
  void* access_policy;
  uint32_t channel, channel_type;
  uint32_t cluster[3], cluster_policy;
  uint64_t local_total_wide;
  uint32_t largest_cluster, active_clusters;
#if MAYA_CUDA_MAJOR >= 13
  uint8_t device_launched, padding2[7];
  int32_t priority;
  uint32_t padding3;
#endif
};

static_assert(sizeof(RecordHead) == 8);
static_assert(sizeof(ApiRecord) == 40 && offsetof(ApiRecord, correlation) == 32);
static_assert(sizeof(ExternalCorrelationRecord) == 24 &&
              offsetof(ExternalCorrelationRecord, correlation) == 16);
static_assert(sizeof(SynchronizationRecord) == 56 && offsetof(SynchronizationRecord, return_value) == 48);
static_assert(sizeof(CopyRecord) == 96 && offsetof(CopyRecord, graph_node) == 64 &&
              offsetof(CopyRecord, copies) == 88);
static_assert(sizeof(PeerCopyRecord) == 96 && offsetof(PeerCopyRecord, correlation) == 60);
static_assert(sizeof(MemsetRecord) == 88 && offsetof(MemsetRecord, graph_node) == 64);
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, grid) == 52);
static_assert(offsetof(KernelRecord, correlation) == 92 && offsetof(KernelRecord, name) == 104);
static_assert(offsetof(KernelRecord, graph_node) == 144 && offsetof(KernelRecord, cluster) == 176);
static_assert(sizeof(KernelRecord) == (MAYA_CUDA_MAJOR >= 13 ? 224 : 208));

// 0 for kinds that are never written.
size_t record_bytes(int kind);

}  // namespace maya::cupti
