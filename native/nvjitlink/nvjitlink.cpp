// nvJitLink, the run-time linker. As with the driver's linker nothing is compiled: the first input that holds
// kernels is the result. Inputs in the compiler's intermediate form (LTO-IR) hold none that can be read, so a
// link of nothing else fails, as a link without kernels to launch is of no use.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "gen/nvjitlink.h"
#include "maya/handles.h"
#include "maya/kernels.h"

using namespace maya;

namespace {

// nvJitLinkResult
enum Result : int { kSuccess = 0, kInvalidInput = 3, kInternal = 6 };

constexpr int kLinker = 1;  // handle type
enum Attribute : int { kImage, kLog };

Handle* find_linker(void* handle) {
  return find_handle(handle, Library::nvjitlink, kLinker);
}

bool has_kernels(const void* image, size_t bytes) {
  std::string error;
  Module* module = load_module(image, bytes, true, &error);
  if (!module) return false;
  const bool found = !module_facts(*module)->kernels.empty();
  unload_module(module);
  return found;
}

int add(void* handle, const void* data, size_t bytes) {
  Handle* linker = find_linker(handle);
  if (!linker || !data || bytes == 0) return kInvalidInput;
  // Text may come without its final zero, which the loader wants.
  const std::string image(static_cast<const char*>(data), bytes);
  if (get_attribute(*linker, kImage) || !has_kernels(image.c_str(), image.size() + 1)) return kSuccess;
  set_attribute(*linker, kImage, image.c_str(), image.size() + 1);
  return kSuccess;
}

int size_of(void* handle, int attribute, size_t* bytes) {
  const Handle* linker = find_linker(handle);
  if (!linker || !bytes) return kInvalidInput;
  const std::vector<char>* data = get_attribute(*linker, attribute);
  *bytes = data ? data->size() : 0;
  return kSuccess;
}

int copy_of(void* handle, int attribute, void* to) {
  const Handle* linker = find_linker(handle);
  if (!linker || !to) return kInvalidInput;
  const std::vector<char>* data = get_attribute(*linker, attribute);
  if (!data) return kInternal;
  memcpy(to, data->data(), data->size());
  return kSuccess;
}

constexpr char kNoKernels[] =
    "no input holds a kernel that can be read without compiling (LTO-IR is not emulated)";

}  // namespace

// The header adds the version to every name.
#if MAYA_CUDA_MAJOR == 12
#define NAMED(function) __##function##_12_8
using OptionList = const char**;
#else
#define NAMED(function) __##function##_13_2
using OptionList = const char* const*;
#endif

extern "C" {

int nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
  if (!major || !minor) return kInvalidInput;
  *major = MAYA_CUDA_MAJOR;
  *minor = MAYA_CUDA_MAJOR == 12 ? 8 : 2;
  return kSuccess;
}

int NAMED(nvJitLinkCreate)(void** handle, uint32_t, OptionList) {
  if (!handle) return kInvalidInput;
  *handle = create_handle(Library::nvjitlink, kLinker);
  return kSuccess;
}

int NAMED(nvJitLinkDestroy)(void** handle) {
  if (!handle || !destroy_handle(*handle, Library::nvjitlink)) return kInvalidInput;
  *handle = nullptr;
  return kSuccess;
}

int NAMED(nvJitLinkAddData)(void* handle, int, const void* data, size_t bytes, const char*) {
  return add(handle, data, bytes);
}

int NAMED(nvJitLinkAddFile)(void* handle, int, const char* path) {
  std::ifstream file(path ? path : "", std::ios::binary);
  if (!file) return kInvalidInput;
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return add(handle, content.data(), content.size());
}

int NAMED(nvJitLinkComplete)(void* handle) {
  Handle* linker = find_linker(handle);
  if (!linker) return kInvalidInput;
  if (get_attribute(*linker, kImage)) return kSuccess;
  set_attribute(*linker, kLog, kNoKernels, sizeof kNoKernels);
  return kInternal;
}

int NAMED(nvJitLinkGetLinkedCubinSize)(void* handle, size_t* bytes) {
  return size_of(handle, kImage, bytes);
}
int NAMED(nvJitLinkGetLinkedCubin)(void* handle, void* cubin) {
  return copy_of(handle, kImage, cubin);
}
int NAMED(nvJitLinkGetLinkedPtxSize)(void* handle, size_t* bytes) {
  return size_of(handle, kImage, bytes);
}
int NAMED(nvJitLinkGetLinkedPtx)(void* handle, char* ptx) {
  return copy_of(handle, kImage, ptx);
}
int NAMED(nvJitLinkGetErrorLogSize)(void* handle, size_t* bytes) {
  return size_of(handle, kLog, bytes);
}
int NAMED(nvJitLinkGetErrorLog)(void* handle, char* log) {
  return copy_of(handle, kLog, log);
}

int NAMED(nvJitLinkGetInfoLogSize)(void* handle, size_t* bytes) {
  if (!find_linker(handle) || !bytes) return kInvalidInput;
  *bytes = 0;
  return kSuccess;
}

int NAMED(nvJitLinkGetInfoLog)(void* handle, char*) {
  return find_linker(handle) ? kSuccess : kInvalidInput;
}

}  // extern "C"
