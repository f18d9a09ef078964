// cuSPARSELt's objects are structs in the program's memory: 1,024 bytes each in 0.7, 512 in 0.8. What they
// hold is inside them, so that nothing leaks where a program does not destroy them (plain structs need not
// be).
#pragma once

#include "mathlibs/data_types.h"
#include "mathlibs/support.h"

namespace maya::cusparselt {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kNotSupported = 10,
};

constexpr size_t kOpaqueBytes = 512;  // of the smaller version
constexpr mathlibs::Version kVersion{0, 7, 1};

struct Context {
  static constexpr uint32_t kTag = 0x4d535043;
  uint32_t tag = kTag;
  int32_t device = 0;
};

struct Matrix {
  static constexpr uint32_t kTag = 0x4d53504d;
  uint32_t tag = kTag;
  int32_t structured = 0;  // half of its entries are zero, two of every four
  int64_t rows = 0, cols = 0, ld = 0;
  uint32_t alignment = 0;
  int32_t type = 0;
  int32_t order = 1;
  int32_t batch = 1;
  int64_t stride = 0;
};

struct Matmul {
  static constexpr uint32_t kTag = 0x4d535050;
  uint32_t tag = kTag;
  int32_t op_a = 0, op_b = 0;
  int32_t compute_type = 0;
  Matrix a, b, c, d;
  int32_t relu = 0;
  float relu_upper_bound = 0, relu_threshold = 0;
  int32_t gelu = 0;
  float gelu_scaling = 1;
  int32_t alpha_vector = 0, beta_vector = 0;
  int64_t bias_stride = 0;
  const void* bias = nullptr;
  const void* sparse_matrix = nullptr;
  int32_t scale_mode[5] = {};  // of A, B, C, D and the scales that D gets
  const void* scale[5] = {};
};

struct Selection {
  static constexpr uint32_t kTag = 0x4d535053;
  uint32_t tag = kTag;
  int32_t id = 0;
  int32_t search_iterations = 5;
  int32_t split_k = 1;
  int32_t split_k_mode = 1;
  int32_t split_k_buffers = 0;
};

struct Plan {
  static constexpr uint32_t kTag = 0x4d53504e;
  uint32_t tag = kTag;
  Selection selection;
  Matmul matmul;
};

static_assert(sizeof(Plan) <= kOpaqueBytes);

template <typename Object>
Object* as(void* pointer) {
  auto* object = static_cast<Object*>(pointer);
  return object && object->tag == Object::kTag ? object : nullptr;
}

template <typename Object>
const Object* as(const void* pointer) {
  return as<Object>(const_cast<void*>(pointer));
}

inline bool is_handle(const void* handle) {
  return as<Context>(handle) != nullptr;
}

template <typename Object>
int initialize(void* storage, const Object& value) {
  if (!storage) return kInvalidValue;
  memcpy(storage, &value, sizeof value);
  return kSuccess;
}

template <typename Object>
int dispose(const void* object) {
  Object* found = as<Object>(const_cast<void*>(object));
  if (!found) return kInvalidValue;
  found->tag = 0;
  return kSuccess;
}

struct Field {
  int attribute;
  size_t offset;
  size_t bytes;
};

#define MAYA_SPLT_FIELD(attribute, Object, member) \
  {attribute, offsetof(Object, member), sizeof(Object::member)}
#define MAYA_SPLT_ELEMENT(attribute, Object, member, index) \
  {attribute, offsetof(Object, member) + (index) * sizeof(*Object{}.member), sizeof(*Object{}.member)}

// Moves an attribute's bytes between the program and the object.
template <typename Object, size_t count>
char* locate(const Field (&fields)[count], const void* handle, const void* pointer, int attribute,
             const void* data, size_t bytes, int* status) {
  *status = kSuccess;
  if (!is_handle(handle)) *status = kNotInitialized;
  const Object* object = as<Object>(pointer);
  for (const Field& field : fields) {
    if (*status == kSuccess && object && data && field.attribute == attribute && field.bytes == bytes) {
      return const_cast<char*>(reinterpret_cast<const char*>(object)) + field.offset;
    }
  }
  if (*status == kSuccess) *status = kInvalidValue;
  return nullptr;
}

template <typename Object, size_t count>
int write_attribute(const Field (&fields)[count], const void* handle, void* object, int attribute,
                    const void* data, size_t bytes) {
  int status;
  char* member = locate<Object>(fields, handle, object, attribute, data, bytes, &status);
  if (member) memcpy(member, data, bytes);
  return status;
}

template <typename Object, size_t count>
int read_attribute(const Field (&fields)[count], const void* handle, const void* object, int attribute,
                   void* data, size_t bytes) {
  int status;
  const char* member = locate<Object>(fields, handle, object, attribute, data, bytes, &status);
  if (member) memcpy(data, member, bytes);
  return status;
}

}  // namespace maya::cusparselt
