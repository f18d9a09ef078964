// The LZ4 block format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
#pragma once

#include "bytes.h"

namespace maya::fatbin {

// True if `source` decodes to exactly `size` bytes; `out` has kCopySlack bytes more.
bool lz4_decode(Bytes source, uint8_t* out, size_t size);

}  // namespace maya::fatbin
