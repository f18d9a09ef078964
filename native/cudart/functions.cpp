#include "functions.h"

#include <algorithm>
#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "status.h"

using namespace maya;

namespace {

struct FunctionAttributes {
  size_t shared_bytes;
  size_t constant_bytes;
  size_t local_bytes;
  int max_threads;
  int registers;
  int ptx_version;
  int binary_version;
  int cache_mode;
  int max_dynamic_shared;
  int carveout;
  int cluster_must_be_set;
  int cluster[3];
  int cluster_policy;
  int non_portable_cluster;
  int reserved[16];
};
static_assert(sizeof(FunctionAttributes) == 144, "layout of cudaFuncAttributes");

enum FunctionAttribute : int {
  kMaxDynamicShared = 8,
  kCarveout = 9,
  kClusterWidth = 11,
  kClusterHeight = 12,
  kClusterDepth = 13,
  kNonPortableCluster = 14,
  kClusterPolicy = 15,
};

// A kernel the device can run, or a failed look-up with its status.
struct Resolved {
  Function* function;
  const KernelFacts* facts;
  int error;
};

Resolved resolve(const void* symbol) {
  if (int error = ready()) return {nullptr, nullptr, fail(error)};
  Function* function = function_of(symbol);
  if (!function) return {nullptr, nullptr, fail(kInvalidDeviceFunction)};
  const KernelFacts* facts = facts_of(*function);
  if (!facts) return {nullptr, nullptr, fail(kNoKernelImage)};
  return {function, facts, kSuccess};
}

// Registers limit how many threads a block can have, whatever the launch bound says.
int max_threads(const KernelFacts& facts) {
  if (facts.registers <= 0) return facts.max_threads;
  int per_warp = (facts.registers * 32 + 255) / 256 * 256;
  return std::min(facts.max_threads, device_model().regs_per_block / per_warp * 32);
}

int dynamic_shared_limit(const Function& function, const KernelFacts& facts) {
  if (function.max_dynamic_shared > 0) return function.max_dynamic_shared;
  return device_model().shared_per_block - facts.static_shared;
}

int set_attribute_of(const void* symbol, int attribute, int value) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  Function& function = *kernel.function;
  switch (attribute) {
    case kMaxDynamicShared:
      if (value < 0 || value + kernel.facts->static_shared > device_model().shared_per_block_optin) {
        return fail(kInvalidValue);
      }
      function.max_dynamic_shared = value;
      return kSuccess;
    case kCarveout:
      function.carveout = value;
      return kSuccess;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
      function.cluster[attribute - kClusterWidth] = value;
      return kSuccess;
    case kNonPortableCluster:
      function.non_portable_cluster = value != 0;
      return kSuccess;
    case kClusterPolicy:
      return kSuccess;
    default:
      return fail(kInvalidValue);
  }
}

}  // namespace

int cudaFuncGetAttributes(void* attributes, const void* symbol) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!attributes) return fail(kInvalidValue);
  const KernelFacts& facts = *kernel.facts;
  FunctionAttributes out{};
  out.shared_bytes = static_cast<size_t>(facts.static_shared);
  out.constant_bytes = static_cast<size_t>(facts.constant);
  out.local_bytes = static_cast<size_t>(facts.local);
  out.max_threads = max_threads(facts);
  out.registers = std::max(facts.registers, 0);
  out.ptx_version = facts.sm;
  out.binary_version = facts.sm;
  out.max_dynamic_shared = dynamic_shared_limit(*kernel.function, facts);
  out.carveout = kernel.function->carveout;
  std::memcpy(out.cluster, facts.cluster, sizeof out.cluster);
  out.cluster_must_be_set = 0;
  out.non_portable_cluster = kernel.function->non_portable_cluster;
  std::memcpy(attributes, &out, sizeof out);
  return kSuccess;
}

int cudaFuncSetAttribute(const void* symbol, int attribute, int value) {
  return set_attribute_of(symbol, attribute, value);
}

int cudaKernelSetAttributeForDevice(void* kernel, int attribute, int value, int) {
  return set_attribute_of(kernel, attribute, value);
}

int cudaFuncSetCacheConfig(const void* symbol, int) {
  return resolve(symbol).error;
}
int cudaFuncSetSharedMemConfig(const void* symbol, int) {
  return resolve(symbol).error;
}

int cudaFuncGetName(const char** name, const void* symbol) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!name) return fail(kInvalidValue);
  *name = kernel.function->name;
  return kSuccess;
}

int cudaFuncGetParamInfo(const void* symbol, size_t index, size_t* offset, size_t* size) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (index >= kernel.facts->params.size() || !offset) return fail(kInvalidValue);
  *offset = kernel.facts->params[index].offset;
  if (size) *size = kernel.facts->params[index].size;
  return kSuccess;
}

#if MAYA_CUDA_MAJOR >= 13
int cudaFuncGetParamCount(const void* symbol, size_t* count) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!count) return fail(kInvalidValue);
  *count = kernel.facts->params.size();
  return kSuccess;
}
#endif

int cudaGetFuncBySymbol(void** handle, const void* symbol) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!handle) return fail(kInvalidValue);
  *handle = kernel.function;
  return kSuccess;
}

int cudaGetKernel(void** handle, const void* symbol) {
  return cudaGetFuncBySymbol(handle, symbol);
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* symbol, int block_size,
                                                           size_t dynamic_shared, unsigned int) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!blocks || block_size <= 0) return fail(kInvalidValue);
  *blocks = max_active_blocks(*kernel.function, block_size, dynamic_shared);
  return kSuccess;
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* symbol, int block_size,
                                                  size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, block_size, dynamic_shared,
                                                                0);
}

int cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* symbol, int blocks, int block_size) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!bytes || blocks <= 0 || block_size <= 0) return fail(kInvalidValue);
  int share = device_model().shared_per_sm / blocks - 1024 - kernel.facts->static_shared;
  *bytes = static_cast<size_t>(std::clamp(share, 0, device_model().shared_per_block_optin));
  return kSuccess;
}

namespace {
struct ClusterConfig {
  unsigned grid[3];
  unsigned block[3];
  size_t shared_bytes;
};
constexpr int kLargestPortableCluster = 8;
constexpr int kLargestCluster = 16;
}  // namespace

int cudaOccupancyMaxPotentialClusterSize(int* size, const void* symbol, const void* config) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  if (!size || !config || device_model().major < 9) return fail(kInvalidValue);
  *size = kernel.function->non_portable_cluster ? kLargestCluster : kLargestPortableCluster;
  return kSuccess;
}

int cudaOccupancyMaxActiveClusters(int* clusters, const void* symbol, const void* config) {
  Resolved kernel = resolve(symbol);
  if (!kernel.function) return kernel.error;
  const auto* shape = static_cast<const ClusterConfig*>(config);
  if (!clusters || !shape || device_model().major < 9) return fail(kInvalidValue);
  int threads = static_cast<int>(shape->block[0] * shape->block[1] * shape->block[2]);
  int per_sm = max_active_blocks(*kernel.function, threads, shape->shared_bytes);
  // Clusters fill graphics processing clusters of about 16 SMs; the part that does not divide is lost.
  *clusters = per_sm * device_model().sm_count / kLargestPortableCluster;
  return kSuccess;
}
