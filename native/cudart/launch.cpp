#include "functions.h"
#include "gen/cudart.h"
#include "maya/device.h"
#include "status.h"

using namespace maya;

namespace {

enum AttributeId : int {
  kCooperative = 2,
  kClusterDimension = 4,
  kProgrammaticSerialization = 6,
  kPriority = 8,
};

struct Attribute {
  int id;
  int padding;
  union {
    int integer;
    unsigned dimensions[3];
    char bytes[64];
  } value;
};
static_assert(sizeof(Attribute) == 72, "layout of cudaLaunchAttribute");

struct Config {
  maya_abi_dim3 grid;
  maya_abi_dim3 block;
  size_t shared_bytes;
  void* stream;
  const Attribute* attributes;
  unsigned attribute_count;
};

int status_of(LaunchResult result) {
  switch (result) {
    case LaunchResult::ok:
      return kSuccess;
    case LaunchResult::invalid_function:
      return kInvalidDeviceFunction;
    case LaunchResult::no_image:
      return kNoKernelImage;
    case LaunchResult::invalid_configuration:
      return kInvalidConfiguration;
    case LaunchResult::too_many_resources:
      return kLaunchOutOfResources;
  }
  return kInvalidValue;
}

LaunchShape shape_of(const maya_abi_dim3& grid, const maya_abi_dim3& block, size_t shared_bytes) {
  LaunchShape shape;
  shape.grid[0] = grid.x, shape.grid[1] = grid.y, shape.grid[2] = grid.z;
  shape.block[0] = block.x, shape.block[1] = block.y, shape.block[2] = block.z;
  shape.shared_bytes = static_cast<unsigned>(shared_bytes);
  return shape;
}

int launch_on(Function* function, const LaunchShape& shape, void** arguments, void* handle, bool per_thread) {
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (!function) return fail(kInvalidDeviceFunction);
  int status = status_of(launch(*function, shape, arguments, *on.stream));
  return status ? fail(status) : kSuccess;
}

void apply(const Attribute& attribute, LaunchShape& shape) {
  switch (attribute.id) {
    case kCooperative:
      if (attribute.value.integer) shape.attributes |= 1;
      break;
    case kClusterDimension:
      for (int i = 0; i < 3; ++i) shape.cluster[i] = attribute.value.dimensions[i];
      break;
    case kProgrammaticSerialization:
      if (attribute.value.integer) shape.attributes |= 2;
      break;
    case kPriority:
      shape.attributes |= 4;
      break;
    default:
      break;
  }
}

int launch_config(const void* configuration, const void* function, void** arguments, bool per_thread) {
  Call call;
  const auto* config = static_cast<const Config*>(configuration);
  if (!config) return fail(kInvalidValue);
  LaunchShape shape = shape_of(config->grid, config->block, config->shared_bytes);
  for (unsigned i = 0; i < config->attribute_count; ++i) apply(config->attributes[i], shape);
  return launch_on(function_of(function), shape, arguments, config->stream, per_thread);
}

}  // namespace

int cudaLaunchKernel(const void* function, maya_abi_dim3 grid, maya_abi_dim3 block, void** arguments,
                     size_t shared_bytes, void* stream) {
  Call call;
  return launch_on(function_of(function), shape_of(grid, block, shared_bytes), arguments, stream, false);
}

int cudaLaunchKernel_ptsz(const void* function, maya_abi_dim3 grid, maya_abi_dim3 block, void** arguments,
                          size_t shared_bytes, void* stream) {
  Call call;
  return launch_on(function_of(function), shape_of(grid, block, shared_bytes), arguments, stream, true);
}

int cudaLaunchCooperativeKernel(const void* function, maya_abi_dim3 grid, maya_abi_dim3 block,
                                void** arguments, size_t shared_bytes, void* stream) {
  Call call;
  LaunchShape shape = shape_of(grid, block, shared_bytes);
  shape.attributes |= 1;
  return launch_on(function_of(function), shape, arguments, stream, false);
}

int cudaLaunchKernelExC(const void* config, const void* function, void** arguments) {
  return launch_config(config, function, arguments, false);
}

int cudaLaunchKernelExC_ptsz(const void* config, const void* function, void** arguments) {
  return launch_config(config, function, arguments, true);
}

int __cudaLaunchKernel(void* kernel, maya_abi_dim3 grid, maya_abi_dim3 block, void** arguments,
                       size_t shared_bytes, void* stream) {
  Call call;
  return launch_on(find_function(kernel), shape_of(grid, block, shared_bytes), arguments, stream, false);
}

int __cudaLaunchKernel_ptsz(void* kernel, maya_abi_dim3 grid, maya_abi_dim3 block, void** arguments,
                            size_t shared_bytes, void* stream) {
  Call call;
  return launch_on(find_function(kernel), shape_of(grid, block, shared_bytes), arguments, stream, true);
}
