#include "kernels/digests.h"

#include <cstdint>
#include <cstring>

#include "kernels/product.h"

namespace maya {
namespace {

// Elements of a block of multi_tensor_apply, which PyTorch does not pass to its kernels.
constexpr uint64_t kChunk = 65536;

// Apex and its relatives pass the size of their blocks first.
uint64_t chunk_of(const Recipe& recipe, const KernelFacts& facts, const Image& image) {
  int32_t chunk = 0;
  const KernelParam& first = facts.params[0];
  if (&first != recipe.list_parameter && first.size == sizeof chunk) std::memcpy(&chunk, image.bytes, 4);
  return chunk > 0 ? static_cast<uint64_t>(chunk) : kChunk;
}

}  // namespace

ImageLayout read_tensor_list(const Recipe& recipe, const KernelFacts& facts, const LaunchShape& shape,
                             const Image& image, layouts::TensorListDigest* digest) {
  if (!recipe.list_parameter) return ImageLayout::arguments;
  if (!recipe.list) return ImageLayout::unknown;
  bool ok = layouts::digest_tensor_list(*recipe.list, image.bytes + recipe.list_parameter->offset,
                                        shape.grid[0], chunk_of(recipe, facts, image), digest);
  return ok ? ImageLayout::tensor_list : ImageLayout::unknown;
}

void keep_tensor_list(ImageLayout layout, const layouts::TensorListDigest& digest, Image& image) {
  if (layout == ImageLayout::arguments) return;
  image.layout = layout;
  image.size = layout == ImageLayout::tensor_list ? sizeof digest : 0;
  std::memcpy(image.bytes, &digest, image.size);
}

bool keep_product(ArgumentReader reader, const KernelFacts& facts, const LaunchShape& shape, Image& image) {
  if (reader == ArgumentReader::grouped_sizes) note_grouped(facts, image.bytes, image.size, shape.block[0]);
  if (reader != ArgumentReader::product && reader != ArgumentReader::grouped_product) return false;
  ProductDigest digest;
  if (!digest_product(reader, facts, image.bytes, image.size, &digest)) return false;
  image.layout = ImageLayout::product;
  image.size = sizeof digest;
  std::memcpy(image.bytes, &digest, sizeof digest);
  return true;
}

}  // namespace maya
