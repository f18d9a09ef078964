// The arguments of one launch, on their way into the capture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/reach.h"

namespace maya {

constexpr size_t kMaxParameterBytes = 32768;

// How the blob of a launch is to be read.
enum class ImageLayout : int64_t { arguments = 0, tensor_list = 1, unknown = 2, product = 3 };

struct Image {
  char bytes[kMaxParameterBytes];
  size_t size = 0;
  ImageLayout layout = ImageLayout::arguments;
  Reach reach;
};

}  // namespace maya
