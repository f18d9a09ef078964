// Launches whose arguments are kept as what a later estimate needs of them.
#pragma once

#include "kernels/image.h"
#include "kernels/layouts/tensor_list.h"
#include "kernels/recipe.h"
#include "maya/kernels.h"

namespace maya {

// Lists of tensors: 4 KB of addresses, unused slots full of what was on the stack, scalars that change every
// step. What is needed is how much they cover. To be called before addresses are masked: what lies beside a
// used entry may look like one, and the entry would go with it.
ImageLayout read_tensor_list(const Recipe& recipe, const KernelFacts& facts, const LaunchShape& shape,
                             const Image& image, layouts::TensorListDigest* digest);
void keep_tensor_list(ImageLayout layout, const layouts::TensorListDigest& digest, Image& image);

// True when the blob is now the problem of a matrix product.
bool keep_product(ArgumentReader reader, const KernelFacts& facts, const LaunchShape& shape, Image& image);

}  // namespace maya
