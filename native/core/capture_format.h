// How a capture lies in its file. src/maya/trace/format.py reads it; a test holds the two together.
#pragma once

#include <cstdint>

namespace maya {

constexpr uint32_t kVersion = 3;

enum class BlockType : uint32_t {
  string = 1,
  schema,
  definition,
  events,
  end,
  packed_string,
  packed_definition
};

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t start_unix_ns;
  uint32_t pid;
  int32_t rank;
  uint32_t world_size;
  uint32_t device_count;
  uint32_t steps_seen;  // 1 once a step has ended
  char padding[20];
};
static_assert(sizeof(Header) == 64, "the header's size is part of the format");

struct BlockHeader {
  uint32_t type;
  uint32_t payload_bytes;
};

}  // namespace maya
