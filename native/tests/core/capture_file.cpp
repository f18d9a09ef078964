// What a reader sees of a capture while it grows.
#include "../../core/capture_file.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "../expect.h"

using namespace maya;

namespace {

constexpr size_t kHeaderBytes = 64;

struct Growing {
  std::string path = "/tmp/maya-capture-" + std::to_string(getpid());
  CaptureFile file;

  Growing() { CHECK(file.create(path, 0, 1, 1)); }
  ~Growing() {
    file.close();
    std::remove(path.c_str());
  }
  uint32_t type_at(size_t offset) const {
    std::ifstream stream(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    uint32_t type;
    std::memcpy(&type, bytes.data() + offset, sizeof type);
    return type;
  }
};

void a_block_is_not_there_until_it_is_published() {
  Growing growing;
  char* payload = growing.file.append(BlockType::string, 8);
  std::memset(payload, 1, 8);
  CHECK(growing.type_at(kHeaderBytes) == 0);
  growing.file.publish();
  CHECK(growing.type_at(kHeaderBytes) == static_cast<uint32_t>(BlockType::string));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"a_block_is_not_there_until_it_is_published", a_block_is_not_there_until_it_is_published},
      },
      count, arguments);
}
