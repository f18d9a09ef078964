// Kernels loaded at run time (cudaLibrary_t).
#include <fstream>
#include <iterator>
#include <string>

#include "gen/cudart.h"
#include "maya/kernels.h"
#include "status.h"

using namespace maya;

namespace {

int load(void** library, const void* code, size_t bytes, bool copy) {
  if (int error = ready()) return fail(error);
  if (!library || !code) return fail(kInvalidValue);
  std::string reason;
  *library = load_module(code, bytes, copy, &reason);
  return check(*library != nullptr, kInvalidKernelImage);
}

}  // namespace

int cudaLibraryLoadData(void** library, const void* code, int*, void**, unsigned int, int*, void**,
                        unsigned int) {
  return load(library, code, 0, true);
}

int cudaLibraryLoadFromFile(void** library, const char* path, int*, void**, unsigned int, int*, void**,
                            unsigned int) {
  std::ifstream file(path ? path : "", std::ios::binary);
  if (!file) return fail(kFileNotFound);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return load(library, content.data(), content.size(), true);
}

int cudaLibraryUnload(void* library) {
  return check(unload_module(library), kInvalidResourceHandle);
}

int cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
  Module* module = find_module(library);
  if (!module) return fail(kInvalidResourceHandle);
  if (!kernel || !name) return fail(kInvalidValue);
  *kernel = module_function(*module, name);
  return check(*kernel != nullptr, kSymbolNotFound);
}

int cudaLibraryGetGlobal(void** address, size_t* bytes, void* library, const char* name) {
  Module* module = find_module(library);
  if (!module) return fail(kInvalidResourceHandle);
  void* found;
  size_t size;
  if (!name || !module_global(*module, name, &found, &size)) return fail(kSymbolNotFound);
  if (address) *address = found;
  if (bytes) *bytes = size;
  return kSuccess;
}

int cudaLibraryGetManaged(void** address, size_t* bytes, void* library, const char* name) {
  return cudaLibraryGetGlobal(address, bytes, library, name);
}

int cudaLibraryGetKernelCount(unsigned int* count, void* library) {
  Module* module = find_module(library);
  if (!module) return fail(kInvalidResourceHandle);
  if (!count) return fail(kInvalidValue);
  *count = static_cast<unsigned>(module_facts(*module)->kernels.size());
  return kSuccess;
}

int cudaLibraryEnumerateKernels(void** kernels, unsigned int count, void* library) {
  Module* module = find_module(library);
  if (!module) return fail(kInvalidResourceHandle);
  const auto& all = module_facts(*module)->kernels;
  for (unsigned i = 0; i < count && i < all.size(); ++i) {
    kernels[i] = module_function(*module, all[i].name.c_str());
  }
  return kSuccess;
}
