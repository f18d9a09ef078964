// The list of tensors that PyTorch's multi-tensor kernels take by value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../gen/torch/layouts.h"

namespace maya::layouts {

// The generated layout of a kernel's list: of the template that its name tells, and of exactly this size.
// Null where there is none: another library's list, or one of a version whose headers were not read.
const TensorListLayout* find_tensor_list(const char* mangled, size_t bytes);

// How many lists stand side by side, and how many tensors each can name.
inline size_t depth_of(const TensorListLayout& layout) {
  return layout.addresses.count / layout.numel_for_tensor.count;
}
inline size_t most_tensors(const TensorListLayout& layout) {
  return layout.numel_for_tensor.count;
}

// What a multi-tensor launch works on.
struct TensorListDigest {
  uint64_t elements;
  uint64_t tensors;
};

// False where what stands in the list makes no sense: its arguments are not understood.
bool digest_tensor_list(const TensorListLayout& layout, const char* list, unsigned blocks, uint64_t chunk,
                        TensorListDigest* digest);

}  // namespace maya::layouts
