#include "kernels/block_masks.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "kernels/read.h"
#include "maya/runtime.h"
#include "recorder.h"

namespace maya {
namespace {

constexpr int64_t kMillion = 1000000;

struct BlockMasks {
  std::atomic<bool> any{false};  // programs without masks need not look
  std::mutex lock;
  std::unordered_map<uintptr_t, int64_t> shares;  // by the address of the counts
};

BlockMasks& block_masks() {
  static BlockMasks* instance = new BlockMasks;
  return *instance;
}

}  // namespace

int64_t mask_share_ppm(const KernelFacts& facts, const Image& image) {
  BlockMasks& masks = block_masks();
  if (!masks.any.load(std::memory_order_relaxed)) return 0;
  std::lock_guard<std::mutex> guard(masks.lock);
  for (const KernelParam& param : facts.params) {
    if (param.size != sizeof(uintptr_t) || param.offset + param.size > image.size) continue;
    auto found = masks.shares.find(read<uintptr_t>(image.bytes + param.offset));
    if (found != masks.shares.end()) return found->second;
  }
  return 0;
}

}  // namespace maya

void maya_note_block_mask(int64_t computed, int64_t blocks) {
  static const char* const fields[] = {"computed", "blocks"};
  static maya::Schema schema{"block_mask", maya::Kind::info, fields, 2};
  maya::Call entered;
  maya::note(schema, {computed, blocks});
}

void maya_know_block_mask(const void* counts, int64_t computed, int64_t blocks) {
  maya::BlockMasks& masks = maya::block_masks();
  std::lock_guard<std::mutex> guard(masks.lock);
  double share = static_cast<double>(computed) / static_cast<double>(std::max<int64_t>(blocks, 1));
  int64_t ppm = static_cast<int64_t>(share * maya::kMillion);
  masks.shares[reinterpret_cast<uintptr_t>(counts)] = std::clamp<int64_t>(ppm, 1, maya::kMillion);
  masks.any.store(true, std::memory_order_relaxed);
}

void maya_forget_block_mask(const void* counts) {
  maya::BlockMasks& masks = maya::block_masks();
  std::lock_guard<std::mutex> guard(masks.lock);
  masks.shares.erase(reinterpret_cast<uintptr_t>(counts));
}
