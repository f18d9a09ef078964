// Compression of long texts and arguments in the capture.
#pragma once

#include <cstddef>
#include <vector>

namespace maya {

// A raw deflate stream (RFC 1951): any zlib reads it. One block with the fixed codes: PTX shrinks to about a
// fifth, and no compression library is needed on the machine.
std::vector<char> deflate(const char* data, size_t bytes);

}  // namespace maya
