// Which launches are one problem, and how many of its variants the capture keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/image.h"
#include "maya/fatbin.h"
#include "recorder.h"

namespace maya {

// Two launches of one shape are two problems where this differs: the whole image where it is free of
// accidents, else the number of elements.
struct Problem {
  uint64_t shape;  // hash of all but the image
  uint64_t key;
  bool is_whole;
  uint32_t most_variants;
};

Problem problem_of(uint64_t shape, const KernelFacts& facts, const Image& image, bool is_clean);

// The definition to record the launch under: its own, or that of the problem's first launch.
uint32_t definition_for(Schema& schema, const int64_t* values, size_t count, const Image& image,
                        const Problem& problem);

}  // namespace maya
