// Gives every file that is named to a target once, for compilers without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int count, char** paths) {
  for (int i = 1; i < count; ++i) {
    std::FILE* file = std::fopen(paths[i], "rb");
    if (!file) return 1;
    std::fseek(file, 0, SEEK_END);
    std::vector<uint8_t> data(static_cast<size_t>(std::ftell(file)));
    std::rewind(file);
    const bool read = std::fread(data.data(), 1, data.size(), file) == data.size();
    std::fclose(file);
    if (!read) return 1;
    LLVMFuzzerTestOneInput(data.data(), data.size());
  }
  std::printf("%d files\n", count - 1);
  return 0;
}
