// Handles and descriptors of the libraries above the runtime (cuBLAS, cuDNN, ...): a typed registry.
//
// Libraries keep no state of their own; what a handle carries is stored here, keyed by the pointer the
// program holds, so that a wrong or destroyed handle is answered with the library's own status code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "maya/record.h"
#include "maya/stream.h"

namespace maya {

struct Handle {
  Library library{};
  int type = 0;            // meaning private to the library: handle, tensor descriptor, plan, ...
  int device = 0;          // current device when it was made
  void* stream = nullptr;  // as given by the program
  std::map<int, std::vector<char>> attributes;  // by number, private to the library
};

// The object's address is the program's handle.
MAYA_EXPORT Handle* create_handle(Library library, int type);
MAYA_EXPORT bool destroy_handle(void* handle, Library library);
// Null when `handle` is not alive or is of another library. type -1: any.
MAYA_EXPORT Handle* find_handle(void* handle, Library library, int type = -1);
// Every one of a library that is alive.
MAYA_EXPORT std::vector<Handle*> all_handles(Library library, int type);
// Handles that are numbers in the API (cufftHandle): registers under the key instead.
MAYA_EXPORT Handle* create_numbered_handle(Library library, int type, int* number);

// The stream a handle's work goes to (default stream of its device when none was set).
MAYA_EXPORT Stream& stream_of(Handle& handle);

// What the library answers to a handle it does not know.
MAYA_EXPORT int not_initialized_status(Library library);

// Plain-data attributes: whole values in and out.
MAYA_EXPORT void set_attribute(Handle& handle, int key, const void* data, size_t bytes);
MAYA_EXPORT const std::vector<char>* get_attribute(const Handle& handle, int key);

template <typename T>
void set(Handle& handle, int key, const T& value) {
  set_attribute(handle, key, &value, sizeof value);
}

template <typename T>
T get(const Handle& handle, int key, T fallback = T{}) {
  const std::vector<char>* data = get_attribute(handle, key);
  if (!data || data->size() != sizeof(T)) return fallback;
  return *reinterpret_cast<const T*>(data->data());
}

}  // namespace maya
