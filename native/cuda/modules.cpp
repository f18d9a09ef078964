// Modules and libraries: images with kernels and variables. One object serves as CUmodule and as CUlibrary.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "maya/kernels.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUjit_option
enum JitOption : int { kWallTime = 2, kInfoLog = 3, kInfoLogBytes = 4, kErrorLog = 5, kErrorLogBytes = 6 };

// There is no compiler behind this, hence nothing in its logs.
void answer_jit_options(unsigned count, const int* options, void** values) {
  for (unsigned i = 0; options && values && i < count; ++i) {
    if ((options[i] == kInfoLog || options[i] == kErrorLog) && values[i])
      *static_cast<char*>(values[i]) = '\0';
    if (options[i] == kInfoLogBytes || options[i] == kErrorLogBytes || options[i] == kWallTime)
      values[i] = nullptr;
  }
}

int load(void** handle, const void* image, size_t bytes) {
  if (!handle || !image) return kInvalidValue;
  // The driver keeps no pointer into the program's buffer, which may go as soon as this returns.
  std::string error;
  *handle = load_module(image, bytes, true, &error);
  return *handle ? kSuccess : kNoBinaryForGpu;
}

int load_file(void** handle, const char* path) {
  if (!handle || !path) return kInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return kFileNotFound;
  std::string image{std::istreambuf_iterator<char>(file), {}};
  return load(handle, image.c_str(), image.size() + 1);
}

int in_this_context(int status, void** handle) {
  if (status == kSuccess) bind_to_context(*find_module(*handle));
  return status;
}

int find_entry(void** handle, void* module_handle, const char* name) {
  if (!handle || !name) return kInvalidValue;
  Module* module = find_module(module_handle);
  if (!module) return kInvalidHandle;
  *handle = module_function(*module, name);
  return *handle ? kSuccess : kNotFound;
}

int find_global(DevicePtr* address, size_t* bytes, void* module_handle, const char* name) {
  Module* module = find_module(module_handle);
  if (!module) return kInvalidHandle;
  if (!name) return kInvalidValue;
  void* found = nullptr;
  size_t size = 0;
  if (!module_global(*module, name, &found, &size)) return kNotFound;
  if (address) *address = address_of(found);
  if (bytes) *bytes = size;
  return kSuccess;
}

int count_entries(unsigned* count, void* module_handle) {
  Module* module = find_module(module_handle);
  if (!module) return kInvalidHandle;
  if (!count) return kInvalidValue;
  *count = static_cast<unsigned>(module_facts(*module)->kernels.size());
  return kSuccess;
}

int list_entries(void** entries, unsigned count, void* module_handle) {
  Module* module = find_module(module_handle);
  if (!module) return kInvalidHandle;
  if (!entries) return kInvalidValue;
  for (const KernelFacts& kernel : module_facts(*module)->kernels) {
    if (count-- == 0) break;
    *entries++ = module_function(*module, kernel.name.c_str());
  }
  return kSuccess;
}

}  // namespace

extern "C" {

int cuModuleLoadData(void** module, const void* image) {
  if (int status = require_context()) return status;
  return in_this_context(load(module, image, 0), module);
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned int count, int* options, void** values) {
  if (int status = require_context()) return status;
  answer_jit_options(count, options, values);
  return in_this_context(load(module, image, 0), module);
}

int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadData(module, image);
}

int cuModuleLoad(void** module, const char* path) {
  if (int status = require_context()) return status;
  return in_this_context(load_file(module, path), module);
}

int cuModuleUnload(void* module) {
  if (int status = require_context()) return status;
  return unload_module(module) ? kSuccess : kInvalidHandle;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (int status = require_context()) return status;
  return find_entry(function, module, name);
}

int cuModuleGetGlobal_v2(unsigned long long* address, size_t* bytes, void* module, const char* name) {
  if (int status = require_context()) return status;
  return find_global(address, bytes, module, name);
}

int cuModuleGetFunctionCount(unsigned int* count, void* module) {
  if (int status = require_context()) return status;
  return count_entries(count, module);
}

int cuModuleEnumerateFunctions(void** functions, unsigned int count, void* module) {
  if (int status = require_context()) return status;
  return list_entries(functions, count, module);
}

int cuModuleGetLoadingMode(int* mode) {
  if (int status = require_driver()) return status;
  if (!mode) return kInvalidValue;
  *mode = 2;  // lazy, the default since CUDA 12.2
  return kSuccess;
}

int cuLibraryLoadData(void** library, const void* code, int* options, void** values, unsigned int count, int*,
                      void**, unsigned int) {
  if (int status = require_driver()) return status;
  answer_jit_options(count, options, values);
  return load(library, code, 0);
}

int cuLibraryLoadFromFile(void** library, const char* path, int* options, void** values, unsigned int count,
                          int*, void**, unsigned int) {
  if (int status = require_driver()) return status;
  answer_jit_options(count, options, values);
  return load_file(library, path);
}

int cuLibraryUnload(void* library) {
  if (int status = require_driver()) return status;
  return unload_module(library) ? kSuccess : kInvalidHandle;
}

int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  if (int status = require_driver()) return status;
  return find_entry(kernel, library, name);
}

int cuLibraryGetModule(void** module, void* library) {
  if (int status = require_context()) return status;
  if (!module) return kInvalidValue;
  *module = find_module(library);
  return *module ? kSuccess : kInvalidHandle;
}

int cuLibraryGetGlobal(unsigned long long* address, size_t* bytes, void* library, const char* name) {
  if (int status = require_context()) return status;
  return find_global(address, bytes, library, name);
}

int cuLibraryGetManaged(unsigned long long* address, size_t* bytes, void* library, const char* name) {
  if (int status = require_driver()) return status;
  return find_global(address, bytes, library, name);
}

int cuLibraryGetKernelCount(unsigned int* count, void* library) {
  if (int status = require_driver()) return status;
  return count_entries(count, library);
}

int cuLibraryEnumerateKernels(void** kernels, unsigned int count, void* library) {
  if (int status = require_driver()) return status;
  return list_entries(kernels, count, library);
}

}  // extern "C"
