#include "kernels/layouts/tensor_list.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/read.h"

namespace maya::layouts {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 48;

// "at::native::TensorListMetadata<2>" -> "18TensorListMetadataI", as mangled names hold it.
std::string mangled_template(const char* type) {
  std::string name(type);
  name = name.substr(0, name.find('<'));
  name = name.substr(name.rfind(':') + 1);
  return std::to_string(name.size()) + name + "I";
}

// The first integer behind `name` in "...ILi3EE" or "...IfLi3EE"; 0 where there is none.
size_t depth_behind(const char* mangled, const std::string& name) {
  const char* found = std::strstr(mangled, name.c_str());
  const char* number = found ? std::strstr(found + name.size(), "Li") : nullptr;
  bool digit = number && number[2] >= '1' && number[2] <= '9' && number[3] == 'E';
  return digit ? static_cast<size_t>(number[2] - '0') : 0;
}

// Of 1, 2, 4 or 8 bytes; block_to_chunk is never negative.
int64_t read_integer(const char* list, const Field& field, size_t index) {
  const char* at = list + field.at + index * field.element_bytes;
  switch (field.element_bytes) {
    case 1:
      return read<uint8_t>(at);
    case 2:
      return read<uint16_t>(at);
    case 4:
      return read<uint32_t>(at);
    default:
      return read<int64_t>(at);
  }
}

}  // namespace

const TensorListLayout* find_tensor_list(const char* mangled, size_t bytes) {
  for (const TensorListLayout& layout : kTensorListLayouts) {
    if (layout.bytes != bytes) continue;
    if (depth_behind(mangled, mangled_template(layout.type)) == depth_of(layout)) return &layout;
  }
  return nullptr;
}

bool digest_tensor_list(const TensorListLayout& layout, const char* list, unsigned blocks, uint64_t chunk,
                        TensorListDigest* digest) {
  *digest = {};
  if (blocks > layout.block_to_tensor.count) return false;
  for (unsigned block = 0; block < blocks; ++block) {
    auto tensor = static_cast<size_t>(read_integer(list, layout.block_to_tensor, block));
    int64_t index = read_integer(list, layout.block_to_chunk, block);
    if (tensor >= most_tensors(layout) || index > INT32_MAX) return false;
    int64_t count = read_integer(list, layout.numel_for_tensor, tensor);
    int64_t start = index * static_cast<int64_t>(chunk);
    if (count <= start || count >= kMostElements) return false;
    digest->elements += std::min(static_cast<uint64_t>(count - start), chunk);
    digest->tensors = std::max<uint64_t>(digest->tensors, tensor + 1);
  }
  return true;
}

}  // namespace maya::layouts
