// How much of its mask a launch of flex attention computes.
//
// The mask is data: a kernel's code only bounds how many of its blocks are listed. Where the lists follow
// from known values, Python says how many there are, by the tensors of counts that launches are given.
#pragma once

#include <cstdint>

#include "kernels/image.h"
#include "maya/fatbin.h"
#include "maya/record.h"

namespace maya {

// The share of the mask that the launch is given, in millionths and at least one; 0 where none is known.
int64_t mask_share_ppm(const KernelFacts& facts, const Image& image);

}  // namespace maya

// Called from inside the program.
extern "C" {
// A mask was made from known values: so many of its blocks are computed.
MAYA_EXPORT void maya_note_block_mask(int64_t computed, int64_t blocks);
// Launches that are given these counts compute that mask, until the counts are forgotten.
MAYA_EXPORT void maya_know_block_mask(const void* counts, int64_t computed, int64_t blocks);
MAYA_EXPORT void maya_forget_block_mask(const void* counts);
}
