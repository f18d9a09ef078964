// Matrix products of CUTLASS 3 (PyTorch's scaled and grouped ones): their parameters are more than a kilobyte
// of descriptors full of stack remains, and of a grouped one the sizes are known only to the kernel that
// prepares it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/family.h"
#include "maya/fatbin.h"

namespace maya {

// The sizes of one group; where data divides a dimension among groups, an equal share of it.
struct ProductDigest {
  int32_t m;
  int32_t n;
  int32_t k;
  int32_t groups;
};

// Keeps the problem that a later grouped product of this thread will work on.
void note_grouped(const KernelFacts& facts, const char* image, size_t image_bytes, unsigned groups);

// False where the sizes make no sense.
bool digest_product(ArgumentReader reader, const KernelFacts& facts, const char* image, size_t image_bytes,
                    ProductDigest* digest);

}  // namespace maya
