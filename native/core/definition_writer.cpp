#include "definition_writer.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "deflate.h"
#include "hash.h"

namespace maya {
namespace {

constexpr size_t kLongText = 2048;  // bytes: PTX, hardly ever a name
constexpr size_t kLongBlob = 64;    // bytes of a definition: arguments of a kernel
constexpr uint32_t kMostFields = 64;

// Arguments of kernels are structures full of zeros and repetitions. Empty where packing gains nothing.
std::vector<char> packed_blob(Blob blob) {
  if (blob.bytes < kLongBlob) return {};
  std::vector<char> packed = deflate(static_cast<const char*>(blob.data), blob.bytes);
  if (packed.size() >= blob.bytes) packed.clear();
  return packed;
}

uint64_t hash_content(const int64_t* values, size_t count, Blob blob) {
  uint64_t hash = hash_bytes(values, count * sizeof(int64_t));
  return blob.bytes ? hash_bytes(blob.data, blob.bytes, hash) : hash;
}

// Appends to a payload what it is made of.
class Filler {
 public:
  explicit Filler(char* at) : at_(at) {}
  void add(const void* data, size_t bytes) {
    if (bytes) std::memcpy(at_, data, bytes);
    at_ += bytes;
  }

 private:
  char* at_;
};

}  // namespace

bool DefinitionWriter::write_packed_text(uint32_t id, const char* text, size_t bytes) {
  std::vector<char> packed = deflate(text, bytes);
  uint32_t length = static_cast<uint32_t>(bytes);
  char* payload = file_.append(BlockType::packed_string, sizeof id + sizeof length + packed.size());
  if (!payload) return false;
  Filler filler(payload);
  filler.add(&id, sizeof id);
  filler.add(&length, sizeof length);
  filler.add(packed.data(), packed.size());
  return true;
}

bool DefinitionWriter::write_text(uint32_t id, const char* text, size_t bytes) {
  if (bytes >= kLongText) return write_packed_text(id, text, bytes);
  char* payload = file_.append(BlockType::string, sizeof id + bytes);
  if (!payload) return false;
  Filler filler(payload);
  filler.add(&id, sizeof id);
  filler.add(text, bytes);
  return true;
}

uint32_t DefinitionWriter::text(const char* text, size_t bytes) {
  uint32_t& id = texts_.slot(hash_bytes(text, bytes));
  if (id) return id;
  if (!write_text(next_text_, text, bytes)) return 0;
  file_.publish();
  return id = next_text_++;
}

uint32_t DefinitionWriter::schema(Schema& schema) {
  uint32_t id = schema.id.load(std::memory_order_relaxed);
  if (id) return id;
  uint32_t words[4 + kMostFields];
  uint32_t count = schema.field_count < kMostFields ? schema.field_count : kMostFields;
  words[1] = static_cast<uint32_t>(schema.kind);
  words[2] = text(schema.name, std::strlen(schema.name));
  if (!words[2]) return 0;
  words[3] = count;
  for (uint32_t i = 0; i < count; ++i) {
    words[4 + i] = text(schema.fields[i], std::strlen(schema.fields[i]));
    if (!words[4 + i]) return 0;
  }
  words[0] = id = next_schema_;
  char* payload = file_.append(BlockType::schema, (4 + count) * sizeof(uint32_t));
  if (!payload) return 0;
  std::memcpy(payload, words, (4 + count) * sizeof(uint32_t));
  file_.publish();
  ++next_schema_;
  schema.id.store(id, std::memory_order_relaxed);
  return id;
}

bool DefinitionWriter::write_definition(uint32_t id, uint32_t schema, const int64_t* values, size_t count,
                                        const LateValue* late, Blob blob) {
  size_t late_values = late ? 1 : 0;
  uint32_t head[4] = {id, schema, static_cast<uint32_t>(count + late_values),
                      static_cast<uint32_t>(blob.bytes)};
  std::vector<char> packed = packed_blob(blob);
  BlockType type = packed.empty() ? BlockType::definition : BlockType::packed_definition;
  if (!packed.empty()) blob = {packed.data(), packed.size()};
  char* payload = file_.append(type, sizeof head + (count + late_values) * sizeof(int64_t) + blob.bytes);
  if (!payload) return false;
  Filler filler(payload);
  filler.add(head, sizeof head);
  filler.add(values, count * sizeof(int64_t));
  int64_t last = late ? late->value() : 0;
  filler.add(&last, late_values * sizeof last);
  filler.add(blob.data, blob.bytes);
  return true;
}

uint32_t DefinitionWriter::define(Schema& schema, const int64_t* values, size_t count, Blob blob,
                                  bool* created, const LateValue* late, uint64_t content) {
  uint32_t schema_number = this->schema(schema);
  if (!schema_number) return 0;
  if (!content) content = hash_content(values, count, blob);
  uint32_t& id = definitions_.slot(mix(content, schema_number));
  if (created) *created = id == 0;
  if (id) return id;
  if (!write_definition(next_definition_, schema_number, values, count, late, blob)) return 0;
  file_.publish();
  return id = next_definition_++;
}

}  // namespace maya
