// Layouts of the structs that programs hand to the driver by address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maya::driver {

using DevicePtr = unsigned long long;

struct Copy2d {
  size_t src_x, src_y;
  unsigned src_type;
  const void* src_host;
  DevicePtr src_device;
  void* src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  unsigned dst_type;
  void* dst_host;
  DevicePtr dst_device;
  void* dst_array;
  size_t dst_pitch;
  size_t width, height;
};
static_assert(sizeof(Copy2d) == 128);

struct Copy3d {
  size_t src_x, src_y, src_z, src_lod;
  unsigned src_type;
  const void* src_host;
  DevicePtr src_device;
  void* src_array;
  void* src_context;  // of the peer variant; reserved in the plain one
  size_t src_pitch, src_height;
  size_t dst_x, dst_y, dst_z, dst_lod;
  unsigned dst_type;
  void* dst_host;
  DevicePtr dst_device;
  void* dst_array;
  void* dst_context;
  size_t dst_pitch, dst_height;
  size_t width, height, depth;
};
static_assert(sizeof(Copy3d) == 200);

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned dimension[3];
    int number;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct CooperativeLaunch {
  void* function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void* stream;
  void** arguments;
};

struct MemoryLocation {
  int type;
  int id;
};

struct AllocationProperties {
  int type;
  int requested_handles;
  MemoryLocation location;
  void* security;
  struct {
    unsigned char compression, rdma_capable;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
static_assert(sizeof(AllocationProperties) == 32);

struct AccessDescription {
  MemoryLocation location;
  int flags;
};

struct PoolProperties {
  int allocation_type;
  int handle_types;
  MemoryLocation location;
  void* security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88);

struct KernelNodeV1 {
  void* function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};

struct KernelNode : KernelNodeV1 {
  void* kernel;
  void* context;
};
static_assert(sizeof(KernelNode) == 72);

struct MemsetNode {
  DevicePtr dst;
  size_t pitch;
  unsigned value, element_bytes;
  size_t width, height;
};

struct HostNode {
  void* function;
  void* user_data;
};

struct CopyNode {
  int flags, reserved;
  void* context;
  Copy3d copy;
};

struct AllocNode {
  PoolProperties pool;
  const AccessDescription* access;
  size_t access_count;
  size_t bytes;
  DevicePtr address;
};

// The tagged union of cuGraphAddNode.
struct NodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNode kernel;
    CopyNode copy;
    MemsetNode memset;
    HostNode host;
    void* handle;  // child graph or event
    AllocNode alloc;
    DevicePtr address;  // free node
  };
  long long reserved2;
};
static_assert(sizeof(NodeParams) == 256);

struct InstantiateParams {
  unsigned long flags;
  void* upload_stream;
  void* error_node;
  int result;
};

struct UpdateResult {
  int result;
  void* error_node;
  void* error_from_node;
};

union StreamMemoryOp {
  int operation;
  struct {
    int operation;
    DevicePtr address;
    uint64_t value;
    unsigned flags;
    DevicePtr alias;
  } value;
  uint64_t pad[6];
};
static_assert(sizeof(StreamMemoryOp) == 48);

struct DeviceProperties {
  int max_threads_per_block;
  int max_threads[3];
  int max_grid[3];
  int shared_per_block;
  int constant_bytes;
  int warp;
  int max_pitch;
  int registers_per_block;
  int clock_khz;
  int texture_alignment;
};

}  // namespace maya::driver
