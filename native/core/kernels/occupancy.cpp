// How many blocks of a kernel a multiprocessor holds.
#include <algorithm>

#include "kernels/module.h"
#include "maya/device.h"

namespace maya {

int max_active_blocks(Function& function, int block_threads, size_t dynamic_shared) {
  const KernelFacts* facts = facts_of(function);
  if (!facts || block_threads <= 0 || block_threads > 1024) return 0;
  const DeviceModel& model = device_model();
  int warps = (block_threads + 31) / 32;
  int blocks = model.max_blocks_per_sm;
  blocks = std::min(blocks, model.max_threads_per_sm / (warps * 32));
  if (facts->registers > 0) {
    // Registers are given out per warp in units of 256.
    int per_warp = (facts->registers * 32 + 255) / 256 * 256;
    blocks = std::min(blocks, model.regs_per_sm / (per_warp * warps));
  }
  constexpr size_t kReservedShared =
      1024;  // the system's own part of each block, from compute capability 8.0
  size_t reserved = model.major >= 8 ? kReservedShared : 0;
  size_t shared = static_cast<size_t>(facts->static_shared) + dynamic_shared + reserved;
  if (shared > 0)
    blocks = std::min(blocks, static_cast<int>(static_cast<size_t>(model.shared_per_sm) / shared));
  return blocks;
}

}  // namespace maya
