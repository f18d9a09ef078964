// PyTorch's kernels take structs by value whose unused parts hold whatever was on the stack. Equal launches
// would look different; here those parts are cleared.
#pragma once

#include "kernels/family.h"
#include "maya/fatbin.h"

namespace maya {

// Which struct a kernel takes.
enum class UnusedBytes : uint8_t {
  none,
  offsets,        // elementwise_kernel(int, lambda{OffsetCalculator, operands, functor})
  reduction,      // reduce_kernel(ReduceOp{functor, config, two OffsetCalculators, addresses})
  concatenation,  // CatArrayBatchedCopy(out, lists of inputs, ...): gridDim.y of each list are used
  tensors,        // dropout, index_select, topk, triu, sort, ...: TensorInfo{address, sizes, strides, dims}
  addresses,      // lpnorm_cleanup, lpmax_cleanup(partial results, addresses, ...): one for each of gridDim.x
};

// Whether remains look like addresses that the kernel may write through.
inline bool may_hold_addresses(UnusedBytes unused) {
  return unused == UnusedBytes::tensors || unused == UnusedBytes::addresses;
}

UnusedBytes unused_bytes_of(ArgumentReader reader, const char* mangled);

// True when the launch is now told by its image alone: what differs from then on is another problem.
bool clear_unused_bytes(UnusedBytes unused, const KernelFacts& facts, const unsigned grid[3], char* image,
                        size_t image_bytes);

}  // namespace maya
