// Occupancy: how much of a kernel fits on a multiprocessor.
#include <algorithm>

#include "launches.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr int kWarp = 32;
constexpr int kPortableCluster = 8;
constexpr int kLargestCluster = 16;

using SharedForBlock = size_t (*)(int block_threads);

int require_facts(void* handle, Function** function, const KernelFacts** facts) {
  if (int status = require_context()) return status;
  *function = find_function(handle);
  if (!*function) return kInvalidHandle;
  *facts = facts_of(**function);
  return *facts ? kSuccess : kNoBinaryForGpu;
}

}  // namespace

extern "C" {

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int block_threads,
                                                size_t dynamic_shared) {
  Function* function = nullptr;
  const KernelFacts* facts = nullptr;
  if (int status = require_facts(handle, &function, &facts)) return status;
  if (!blocks || block_threads <= 0) return kInvalidValue;
  *blocks = max_active_blocks(*function, block_threads, dynamic_shared);
  return kSuccess;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void* handle, int block_threads,
                                                         size_t dynamic_shared, unsigned int) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block_threads, dynamic_shared);
}

int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* handle, void* shared_for_block,
                                     size_t dynamic_shared, int limit) {
  Function* function = nullptr;
  const KernelFacts* facts = nullptr;
  if (int status = require_facts(handle, &function, &facts)) return status;
  if (!grid || !block) return kInvalidValue;
  const auto shared = reinterpret_cast<SharedForBlock>(shared_for_block);
  const int most = limit > 0 ? std::min(limit, facts->max_threads) : facts->max_threads;
  int best_threads = 0;
  // The largest block wins among equals, as in the driver.
  for (int threads = (most + kWarp - 1) / kWarp * kWarp; threads > 0; threads -= kWarp) {
    const int candidate = std::min(threads, most);
    const int blocks = max_active_blocks(*function, candidate, shared ? shared(candidate) : dynamic_shared);
    if (blocks * candidate <= best_threads) continue;
    best_threads = blocks * candidate;
    *block = candidate;
    *grid = blocks * device_model().sm_count;
  }
  return best_threads ? kSuccess : kInvalidValue;
}

int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, void* handle, void* shared_for_block,
                                              size_t dynamic_shared, int limit, unsigned int) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, handle, shared_for_block, dynamic_shared, limit);
}

int cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, void* handle, int blocks, int block_threads) {
  Function* function = nullptr;
  const KernelFacts* facts = nullptr;
  if (int status = require_facts(handle, &function, &facts)) return status;
  if (!bytes || blocks <= 0 || block_threads <= 0) return kInvalidValue;
  int reserved = 0;
  device_attribute(current_device(), kAttributeSharedReserved, &reserved);
  const int share = device_model().shared_per_sm / blocks - reserved;
  const int left = std::min(share, device_model().shared_per_block_optin) - facts->static_shared;
  *bytes = static_cast<size_t>(std::max(left, 0));
  return kSuccess;
}

int cuOccupancyMaxPotentialClusterSize(int* blocks, void* handle, const void*) {
  Function* function = nullptr;
  const KernelFacts* facts = nullptr;
  if (int status = require_facts(handle, &function, &facts)) return status;
  if (!blocks) return kInvalidValue;
  *blocks = device_model().major < 9         ? 1
            : function->non_portable_cluster ? kLargestCluster
                                             : kPortableCluster;
  return kSuccess;
}

// Clusters may not cross a GPC; how many multiprocessors a GPC has varies from chip to chip, so the answer is
// that of a chip without that border.
int cuOccupancyMaxActiveClusters(int* clusters, void* handle, const void* config) {
  Function* function = nullptr;
  const KernelFacts* facts = nullptr;
  if (int status = require_facts(handle, &function, &facts)) return status;
  if (!clusters || !config) return kInvalidValue;
  LaunchShape shape;
  if (int status = read_config(*static_cast<const LaunchConfig*>(config), &shape)) return status;
  const unsigned size = std::max(1u, shape.cluster[0] * shape.cluster[1] * shape.cluster[2]);
  const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  const int blocks = max_active_blocks(*function, threads, shape.shared_bytes) * device_model().sm_count;
  *clusters = blocks / static_cast<int>(size);
  return kSuccess;
}

}  // extern "C"
