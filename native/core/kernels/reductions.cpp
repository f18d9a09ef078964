#include "kernels/reductions.h"

#include <cstring>
#include <vector>

#include "kernels/norms.h"
#include "kernels/routing.h"

namespace maya {
namespace {

void store_sums(const ReductionLaunch& launch, const std::vector<int64_t>& sums) {
  MemoryUpdate update(launch.targets[0], launch.across.last(0) + sizeof(int64_t));
  for (size_t out = 0; out < launch.outputs; ++out) {
    std::memcpy(update.give(launch.across.offset(out, 0), sizeof(int64_t)), &sums[out], sizeof(int64_t));
  }
  apply_update(update);
}

}  // namespace

void answer_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image) {
  ReductionLaunch launch;
  if (!read_reduction(kernel, facts, image, &launch)) return;
  std::vector<int64_t> routed;
  if (kernel.is_norm() && launch.outputs == 1) {
    give_norm(reinterpret_cast<char*>(launch.targets[0]), width_of(kernel.output));
  } else if (kernel.what == Reduces::sum && kernel.output == Element::i64 &&
             routed_sums(launch.inputs, launch.outputs, &routed)) {
    store_sums(launch, routed);
  }
}

}  // namespace maya
