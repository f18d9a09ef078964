// How descriptors are laid out as bytes. Everything is padded to 8, so numbers can be read in place.
//
//   value       int32 type, int32 0, int64 count, data
//   descriptor  int32 type, int32 0, then for each attribute: int64 number, uint64 bytes, value
//   data of a value that holds descriptors: for each: uint64 bytes, descriptor
#include <cstring>

#include "backend.h"

namespace maya::cudnn {
namespace {

struct ValueHeader {
  int32_t type;
  int32_t zero;
  int64_t count;
};

template <typename T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void append(Bytes* to, const void* data, size_t bytes) {
  auto* from = static_cast<const char*>(data);
  if (bytes) to->insert(to->end(), from, from + bytes);
  to->resize((to->size() + 7) / 8 * 8);
}

template <typename T>
void append(Bytes* to, T value) {
  append(to, &value, sizeof value);
}

Value value_at(const char* data, size_t bytes) {
  auto header = read<ValueHeader>(data);
  return {header.type, header.count, data + sizeof header, bytes - sizeof header};
}

constexpr size_t kPrefix = 8;

bool sound_descriptor(const char* data, size_t bytes);

bool sound_value(const char* data, size_t bytes) {
  if (bytes < sizeof(ValueHeader)) return false;
  Value value = value_at(data, bytes);
  if (value.count < 0 || value.type < 0 || value.type >= kTypeCount) return false;
  auto count = static_cast<uint64_t>(value.count);
  if (value.type != kTypeDescriptor) return count <= value.bytes / attribute_bytes(value.type);
  size_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (offset + kPrefix > value.bytes) return false;
    auto size = read<uint64_t>(value.data + offset);
    offset += kPrefix;
    if (size > value.bytes - offset || !sound_descriptor(value.data + offset, size)) return false;
    offset += size;
  }
  return true;
}

bool sound_descriptor(const char* data, size_t bytes) {
  if (bytes < kPrefix || bytes % 8 != 0) return false;
  for (size_t offset = kPrefix; offset < bytes;) {
    if (bytes - offset < 2 * kPrefix) return false;
    auto size = read<uint64_t>(data + offset + kPrefix);
    offset += 2 * kPrefix;
    if (size > bytes - offset || !sound_value(data + offset, size)) return false;
    offset += size;
  }
  return true;
}

}  // namespace

Bytes encode_value(int type, int64_t count, const void* data, size_t bytes) {
  Bytes encoded;
  append(&encoded, ValueHeader{type, 0, count});
  append(&encoded, data, bytes);
  return encoded;
}

Bytes encode_descriptors(const std::vector<Bytes>& descriptors) {
  Bytes data;
  for (const Bytes& descriptor : descriptors) {
    append(&data, static_cast<uint64_t>(descriptor.size()));
    append(&data, descriptor.data(), descriptor.size());
  }
  return encode_value(kTypeDescriptor, static_cast<int64_t>(descriptors.size()), data.data(), data.size());
}

Bytes encode_descriptor(int type, const Attributes& attributes) {
  Bytes encoded;
  append(&encoded, static_cast<int64_t>(type));
  for (const auto& [number, value] : attributes) {
    if (number < 0) continue;
    append(&encoded, static_cast<int64_t>(number));
    append(&encoded, static_cast<uint64_t>(value.size()));
    append(&encoded, value.data(), value.size());
  }
  return encoded;
}

Value decode_value(const Bytes& encoded) {
  return value_at(encoded.data(), encoded.size());
}

Value value_in(const Attributes& attributes, int attribute) {
  auto found = attributes.find(attribute);
  return found == attributes.end() ? Value{} : decode_value(found->second);
}

bool well_formed(const Bytes& descriptor) {
  return sound_descriptor(descriptor.data(), descriptor.size());
}

View Value::child(int64_t index) const {
  if (type != kTypeDescriptor || index >= count) return {};
  const char* at = data;
  for (; index > 0; --index) at += kPrefix + read<uint64_t>(at);
  return {at + kPrefix, read<uint64_t>(at)};
}

int64_t Value::integer(int64_t index) const {
  if (index >= count) return 0;
  const char* at = data + static_cast<size_t>(index) * attribute_bytes(type);
  switch (attribute_bytes(type)) {
    case 1:
      return *at;
    case 4:
      return read<int32_t>(at);
    default:
      return read<int64_t>(at);
  }
}

double Value::real() const {
  if (count < 1) return 0;
  return type == kTypeFloat ? static_cast<double>(read<float>(data)) : read<double>(data);
}

int View::type() const {
  return data_ ? static_cast<int>(read<int64_t>(data_)) : -1;
}

bool View::next(size_t* offset, Entry* entry) const {
  if (*offset == 0) *offset = kPrefix;
  if (!data_ || *offset >= bytes_) return false;
  entry->number = static_cast<int>(read<int64_t>(data_ + *offset));
  auto size = read<uint64_t>(data_ + *offset + kPrefix);
  entry->value = value_at(data_ + *offset + 2 * kPrefix, size);
  *offset += 2 * kPrefix + size;
  return true;
}

Value View::get(int attribute) const {
  Entry entry;
  for (size_t offset = 0; next(&offset, &entry);) {
    if (entry.number == attribute) return entry.value;
  }
  return {};
}

int64_t View::integer(int attribute, int64_t fallback) const {
  Value value = get(attribute);
  return value.set() && value.count > 0 ? value.integer() : fallback;
}

std::vector<int64_t> View::integers(int attribute) const {
  Value value = get(attribute);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < value.count; ++i) numbers.push_back(value.integer(i));
  return numbers;
}

}  // namespace maya::cudnn
