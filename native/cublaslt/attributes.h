// Attributes of descriptors: a number in the API, a member of ours.
#pragma once

#include <cstdlib>
#include <new>

#include "descriptors.h"

namespace maya::cublaslt {

struct Field {
  int attribute;
  size_t offset;
  size_t bytes;
};

#define MAYA_LT_FIELD(attribute, Descriptor, member) \
  {attribute, offsetof(Descriptor, member), sizeof(Descriptor::member)}
#define MAYA_LT_ELEMENT(attribute, Descriptor, member, index)                        \
  {attribute, offsetof(Descriptor, member) + (index) * sizeof(*Descriptor{}.member), \
   sizeof(*Descriptor{}.member)}

template <size_t count>
const Field* find_field(const Field (&fields)[count], int attribute) {
  for (const Field& field : fields) {
    if (field.attribute == attribute) return &field;
  }
  return nullptr;
}

template <typename Descriptor, size_t count>
int write_attribute(const Field (&fields)[count], void* pointer, int attribute, const void* data,
                    size_t bytes) {
  Descriptor* descriptor = as<Descriptor>(pointer);
  const Field* field = find_field(fields, attribute);
  if (!descriptor || !field || !data || bytes != field->bytes) return kInvalidValue;
  memcpy(reinterpret_cast<char*>(descriptor) + field->offset, data, bytes);
  return kSuccess;
}

// With no buffer the call only asks for the attribute's size.
template <typename Descriptor, size_t count>
int read_attribute(const Field (&fields)[count], const void* pointer, int attribute, void* data, size_t bytes,
                   size_t* written) {
  const Descriptor* descriptor = as<Descriptor>(pointer);
  const Field* field = find_field(fields, attribute);
  if (!descriptor || !field || (bytes == 0 && !written)) return kInvalidValue;
  if (written) *written = field->bytes;
  if (bytes == 0) return kSuccess;
  if (!data || bytes != field->bytes) return kInvalidValue;
  memcpy(data, reinterpret_cast<const char*>(descriptor) + field->offset, bytes);
  return kSuccess;
}

// `bytes` is what the caller's header reserves.
template <typename Descriptor>
int initialize(void* storage, size_t bytes, const Descriptor& value) {
  if (!storage || bytes < sizeof value) return kInvalidValue;
  memset(storage, 0, bytes);
  new (storage) Descriptor(value);
  return kSuccess;
}

template <typename Descriptor>
int make(void** out, const Descriptor& value) {
  if (!out) return kInvalidValue;
  *out = malloc(Descriptor::kOpaqueBytes);
  return *out ? initialize(*out, Descriptor::kOpaqueBytes, value) : kAllocFailed;
}

template <typename Descriptor>
int dispose(void* pointer) {
  Descriptor* descriptor = as<Descriptor>(pointer);
  if (!descriptor) return kInvalidValue;
  descriptor->tag = 0;
  free(pointer);
  return kSuccess;
}

}  // namespace maya::cublaslt
