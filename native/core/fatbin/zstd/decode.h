// The Zstandard format, RFC 8878, without dictionaries. Checksums are skipped: nothing here is
// trusted because a checksum fits.
#pragma once

#include "../bytes.h"

namespace maya::fatbin {

// True if the frames in `source` decode to exactly `size` bytes; `out` has kCopySlack bytes more.
bool zstd_decode(Bytes source, uint8_t* out, size_t size);

}  // namespace maya::fatbin
