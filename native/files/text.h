// A path in a fixed buffer: nothing here allocates, because open() may be called by an allocator or after
// vfork().
#pragma once

#include <climits>
#include <cstddef>
#include <cstring>

namespace maya::files {

struct Text {
  char text[PATH_MAX];
  size_t length = 0;

  Text() { text[0] = 0; }

  bool append(const char* more, size_t bytes) {
    if (length + bytes + 1 > sizeof text) return false;
    std::memcpy(text + length, more, bytes);
    cut(length + bytes);
    return true;
  }
  bool append(const char* more) { return append(more, std::strlen(more)); }
  bool set(const char* whole) { return length = 0, append(whole); }
  void cut(size_t bytes) {
    length = bytes;
    text[length] = 0;
  }
  bool starts_with(const Text& prefix) const {
    return prefix.length && length >= prefix.length && !std::memcmp(text, prefix.text, prefix.length) &&
           (text[prefix.length] == '/' || !text[prefix.length]);
  }
};

}  // namespace maya::files
