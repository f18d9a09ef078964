#include "kernels/limits.h"

#include <cstdint>

#include "maya/device.h"

namespace maya {
namespace {

// The same on every device since compute capability 3.0.
constexpr unsigned kMostThreads = 1024;  // of a block, in all and along x and y
constexpr unsigned kMostThreadsAlongZ = 64;
constexpr unsigned kMostBlocksAlongX = 2147483647;
constexpr unsigned kMostBlocksAlongYOrZ = 65535;

bool fits_axes(const LaunchShape& shape, uint64_t threads) {
  const unsigned* grid = shape.grid;
  const unsigned* block = shape.block;
  if (!threads || !grid[0] || !grid[1] || !grid[2]) return false;
  if (block[0] > kMostThreads || block[1] > kMostThreads || block[2] > kMostThreadsAlongZ) return false;
  if (threads > kMostThreads) return false;
  return grid[0] <= kMostBlocksAlongX && grid[1] <= kMostBlocksAlongYOrZ && grid[2] <= kMostBlocksAlongYOrZ;
}

bool fits_shared_memory(const Function& function, const KernelFacts& facts, const LaunchShape& shape) {
  const DeviceModel& model = device_model();
  unsigned shared = shape.shared_bytes + static_cast<unsigned>(facts.static_shared);
  return shared <= static_cast<unsigned>(function.max_dynamic_shared > 0 ? model.shared_per_block_optin
                                                                         : model.shared_per_block);
}

bool fits_registers(const KernelFacts& facts, uint64_t threads) {
  return threads <= static_cast<uint64_t>(facts.max_threads) &&
         (facts.registers <= 0 ||
          threads * facts.registers <= static_cast<uint64_t>(device_model().regs_per_block));
}

}  // namespace

LaunchResult check_limits(const Function& function, const KernelFacts& facts, const LaunchShape& shape) {
  uint64_t threads = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (!fits_axes(shape, threads) || !fits_shared_memory(function, facts, shape)) {
    return LaunchResult::invalid_configuration;
  }
  return fits_registers(facts, threads) ? LaunchResult::ok : LaunchResult::too_many_resources;
}

}  // namespace maya
