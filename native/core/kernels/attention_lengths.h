// How long the requests are that attention over a paged cache is about to read.
//
// The lengths stand in device memory, where the server's host part put them, and change with every iteration,
// also under a graph that is launched again. Before the layers run, a small kernel reads them to share out
// the work: what it would find is read there, once for all layers.
#pragma once

#include <cstdint>

#include "maya/fatbin.h"

namespace maya {

// Sums over the requests.
struct AttentionLengths {
  int64_t requests = 0;
  int64_t keys = 0;
  int64_t pairs = 0;  // of a query and a key that it sees
};

void note_attention_lengths(const KernelFacts& facts, const char* image);

// Of the iteration under way; zeros where nothing was seen.
AttentionLengths attention_lengths();

}  // namespace maya
