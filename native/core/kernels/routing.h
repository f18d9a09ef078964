// A policy for values that only a mixture of experts' router could know.
//
// Kernels make nothing, so a program that reads how many tokens go to each expert would find none and run no
// expert. A top-k over few choices is taken for a router; sums, histograms and non-zero counts of what it
// decided are answered from a distribution (--routing), and every answer is recorded with its Python line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maya/fatbin.h"

namespace maya {

// at::native::sbtopk::gatherTopK: how many tokens choose how many of how many experts.
void observe_router(const KernelFacts& facts, const char* image);

// A sum of `inputs` unknown integers for each of `outputs`: tokens per expert where the sizes are a router's.
bool routed_sums(size_t inputs, size_t outputs, std::vector<int64_t>* sums);

// kernelHistogram1D over as many bins as there are experts.
void answer_histogram(char type, const KernelFacts& facts, const char* image);

// CUB's kernels behind torch.nonzero: the partial count of a large mask, the whole count, the positions.
// Masks that neither the host made nor a router are taken to be half full. `type`: of its elements, mangled.
void begin_nonzero_count(char type, const char* mangled, const char* image);
void answer_nonzero_count_of_few(char type, const char* mangled, const KernelFacts& facts, const char* image);
void answer_nonzero_count(const KernelFacts& facts, const char* image);
void answer_nonzero_positions(const KernelFacts& facts, const char* image);

}  // namespace maya
