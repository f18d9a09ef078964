// Kernel launches.
#include "launches.h"

#include "graph_nodes.h"

using namespace maya;
using namespace maya::driver;

namespace maya::driver {
namespace {

// The `extra` array: pairs of a key and a pointer, closed by kParamBufferEnd.
bool read_extra(void** extra, const void** buffer, size_t* bytes) {
  for (; *extra != reinterpret_cast<void*>(kParamBufferEnd); extra += 2) {
    const auto key = reinterpret_cast<size_t>(extra[0]);
    if (key == kParamBufferPointer) *buffer = extra[1];
    if (key == kParamBufferSize) *bytes = *static_cast<const size_t*>(extra[1]);
    if (key > kParamBufferSize) return false;
  }
  return *buffer != nullptr;
}

int cooperative_fits(Function& function, const LaunchShape& shape) {
  const auto threads = shape.block[0] * shape.block[1] * shape.block[2];
  const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const int resident = max_active_blocks(function, static_cast<int>(threads), shape.shared_bytes);
  const uint64_t most = static_cast<uint64_t>(resident) * static_cast<uint64_t>(device_model().sm_count);
  return blocks <= most ? kSuccess : kCooperativeLaunchTooLarge;
}

LaunchShape shape_of(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned shared_bytes, unsigned attributes) {
  LaunchShape shape;
  shape.grid[0] = grid_x, shape.grid[1] = grid_y, shape.grid[2] = grid_z;
  shape.block[0] = block_x, shape.block[1] = block_y, shape.block[2] = block_z;
  shape.shared_bytes = shared_bytes;
  shape.attributes = attributes;
  return shape;
}

}  // namespace

int status_of(LaunchResult result) {
  switch (result) {
    case LaunchResult::ok:
      return kSuccess;
    case LaunchResult::invalid_function:
      return kInvalidHandle;
    case LaunchResult::no_image:
      return kNoBinaryForGpu;
    case LaunchResult::invalid_configuration:
      return kInvalidValue;
    case LaunchResult::too_many_resources:
      return kLaunchOutOfResources;
  }
  return kInvalidValue;
}

int launch_onto(Function& function, const LaunchShape& shape, void** arguments, void** extra,
                Stream& stream) {
  if (shape.attributes & kCooperative) {
    if (int status = cooperative_fits(function, shape)) return status;
  }
  if (!extra) {
    const KernelFacts* facts = facts_of(function);
    if (!arguments && facts && !facts->params.empty()) return kInvalidValue;
    return status_of(launch(function, shape, arguments, stream));
  }
  const void* buffer = nullptr;
  size_t bytes = 0;
  if (arguments || !read_extra(extra, &buffer, &bytes)) return kInvalidValue;
  return status_of(launch_packed(function, shape, buffer, bytes, stream));
}

int launch_checked(void* handle, const LaunchShape& shape, void* stream_handle, void** arguments,
                   void** extra) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  Call call;
  Function* function = find_function(handle);
  if (!function) return kInvalidHandle;
  const int status = launch_onto(*function, shape, arguments, extra, *stream);
  if (status == kSuccess && stream->capture) keep_kernel(*stream, *function, shape, arguments, extra);
  return status;
}

int read_config(const LaunchConfig& config, LaunchShape* shape) {
  for (int axis = 0; axis < 3; ++axis) {
    shape->grid[axis] = config.grid[axis];
    shape->block[axis] = config.block[axis];
  }
  shape->shared_bytes = config.shared_bytes;
  if (config.attribute_count && !config.attributes) return kInvalidValue;
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    const bool on = attribute.value.number != 0;
    if (attribute.id == kAttributeCooperative && on) shape->attributes |= kCooperative;
    if (attribute.id == kAttributeProgrammaticSerialization && on)
      shape->attributes |= kProgrammaticSerialization;
    if (attribute.id == kAttributePriority) shape->attributes |= kPriority;
    if (attribute.id != kAttributeClusterDimension) continue;
    for (int axis = 0; axis < 3; ++axis) {
      shape->cluster[axis] = attribute.value.dimension[axis];
      if (!shape->cluster[axis] || shape->grid[axis] % shape->cluster[axis]) return kInvalidClusterSize;
    }
  }
  return kSuccess;
}

}  // namespace maya::driver

extern "C" {

int cuLaunchKernel(void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                   unsigned int shared_bytes, void* stream, void** arguments, void** extra) {
  const LaunchShape shape = shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, 0);
  return launch_checked(function, shape, stream, arguments, extra);
}

int cuLaunchCooperativeKernel(void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                              unsigned int block_x, unsigned int block_y, unsigned int block_z,
                              unsigned int shared_bytes, void* stream, void** arguments) {
  const LaunchShape shape =
      shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, kCooperative);
  return launch_checked(function, shape, stream, arguments, nullptr);
}

int cuLaunchKernelEx(const void* config, void* function, void** arguments, void** extra) {
  if (!config) return kInvalidValue;
  const auto& given = *static_cast<const LaunchConfig*>(config);
  LaunchShape shape;
  if (int status = read_config(given, &shape)) return status;
  return launch_checked(function, shape, given.stream, arguments, extra);
}

int cuLaunchCooperativeKernelMultiDevice(void* list, unsigned int count, unsigned int) {
  if (!list || count == 0) return kInvalidValue;
  const auto* launches = static_cast<const CooperativeLaunch*>(list);
  for (unsigned i = 0; i < count; ++i) {
    const CooperativeLaunch& one = launches[i];
    const LaunchShape shape = shape_of(one.grid[0], one.grid[1], one.grid[2], one.block[0], one.block[1],
                                       one.block[2], one.shared_bytes, kCooperative);
    if (int status = launch_checked(one.function, shape, one.stream, one.arguments, nullptr)) return status;
  }
  return kSuccess;
}

}  // extern "C"
