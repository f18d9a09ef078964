// What events of a capture refer to: texts, schemas and definitions, each written once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture_file.h"
#include "id_table.h"
#include "maya/record.h"
#include "recorder.h"

namespace maya {

// Not safe between threads. Ids begin with 1; 0 says that the file could not grow, with errno set.
class DefinitionWriter {
 public:
  explicit DefinitionWriter(CaptureFile& file) : file_(file) {}

  uint32_t text(const char* text, size_t bytes);
  // `content`: a hash of values and blob, 0 where nobody has it yet.
  uint32_t define(Schema& schema, const int64_t* values, size_t count, Blob blob, bool* created = nullptr,
                  const LateValue* late = nullptr, uint64_t content = 0);

 private:
  uint32_t schema(Schema& schema);
  bool write_text(uint32_t id, const char* text, size_t bytes);
  bool write_packed_text(uint32_t id, const char* text, size_t bytes);
  bool write_definition(uint32_t id, uint32_t schema, const int64_t* values, size_t count,
                        const LateValue* late, Blob blob);

  CaptureFile& file_;
  IdTable definitions_;
  IdTable texts_;
  uint32_t next_definition_ = 1;
  uint32_t next_text_ = 1;
  uint32_t next_schema_ = 1;
};

}  // namespace maya
