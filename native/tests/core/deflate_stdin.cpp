// Compresses its input, for a test that unpacks it with a library of others.
#include <cstdio>
#include <string>

#include "../../core/deflate.h"

int main() {
  std::string text;
  char buffer[4096];
  while (size_t read = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, read);
  std::vector<char> packed = maya::deflate(text.data(), text.size());
  return std::fwrite(packed.data(), 1, packed.size(), stdout) == packed.size() ? 0 : 1;
}
