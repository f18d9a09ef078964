// A policy for norms, which programs decide by: whether to clip, whether training still makes sense.
//
// A gradient norm of zero is a value that training never meets: frameworks leave clipping out, or stop. So
// the norm of data that no kernel made is taken to be 2, which is more than the usual limits. It is a known
// value from then on: what a program makes of it on the device or on the host follows. Flags (an overflow, an
// infinity) and losses are not norms and stay zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/fatbin.h"

namespace maya {

// Takes the floating-point number of `width` bytes at `target` to be a norm.
void give_norm(char* target, size_t width);
// The last kernel of a foreach norm. `norm`: which one and the type of its results, as the mangled name has
// them.
void answer_norms_of_list(const char* norm, const KernelFacts& facts, const char* image, unsigned tensors);

// Values that follow from a norm that was taken to be something. Their addresses are followed only to tell
// where the host reads one.
void follow_norm(const void* address, bool follows);
bool follows_norm(const void* address);
// The host read a known value.
void note_norm_read(const void* address);

}  // namespace maya
