// What the mathematical libraries share: schemas, versions and the life cycle of handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "maya/device.h"
#include "maya/handles.h"
#include "maya/memory.h"
#include "maya/record.h"
#include "maya/stream.h"
#include "maya/values.h"

// A constant-initialised schema of a library call, with its fields' names.
#define MAYA_LIBRARY_SCHEMA(variable, operation, ...)                                 \
  static const char* const variable##_fields[] = {__VA_ARGS__};                       \
  static ::maya::Schema variable {                                                    \
    operation, ::maya::Kind::library, variable##_fields, std::size(variable##_fields) \
  }

namespace maya::mathlibs {

struct Version {
  int major, minor, patch;
};

// libraryPropertyType: 0 major, 1 minor, 2 patch.
inline bool property(int type, const Version& version, int* value) {
  if (!value || type < 0 || type > 2) return false;
  *value = type == 0 ? version.major : type == 1 ? version.minor : version.patch;
  return true;
}

// Makes the object that a program's handle points to; the device's context exists from then on.
inline Handle* open_handle(void** out, Library library, int type) {
  if (!out || !usable_in_this_process()) return nullptr;
  ensure_context(current_device());
  Handle* handle = create_handle(library, type);
  *out = handle;
  return handle;
}

// As above for descriptors, which exist without a device.
inline Handle* open_descriptor(void** out, Library library, int type) {
  if (!out) return nullptr;
  Handle* handle = create_handle(library, type);
  *out = handle;
  return handle;
}

inline Handle* find(const void* handle, Library library, int type) {
  return handle ? find_handle(const_cast<void*>(handle), library, type) : nullptr;
}

// Is a scalar that the host passes by address zero? Then the operand it scales is never read.
inline bool is_zero(const void* scalar, size_t bytes) {
  static const char zeros[16] = {};
  return bytes <= sizeof zeros && memcmp(scalar, zeros, bytes) == 0;
}

// Outputs through an array of device pointers; where a kernel made the array its targets are unknown.
inline void forget_each(const void* pointers, int64_t count) {
  if (!pointers || count <= 0 || !values_known(pointers, count * sizeof(void*))) return;
  for (int64_t i = 0; i < count; i++) {
    void* target = nullptr;
    peek(&target, static_cast<const char*>(pointers) + i * sizeof(void*), sizeof target);
    forget(target);
  }
}

// A result that the call leaves at `pointer`: on the device, or on the host, which then waits for it.
// False when the stream is being captured, where nothing may wait.
inline bool deliver(void* pointer, size_t bytes, Stream& stream) {
  if (is_device_address(reinterpret_cast<uintptr_t>(pointer))) {
    forget(pointer);
    return true;
  }
  if (!synchronize_stream(stream)) return false;
  host_reads_result(pointer, bytes);
  return true;
}

}  // namespace maya::mathlibs
