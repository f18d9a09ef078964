// The driver's linker: images go in, one image comes out.
//
// Nothing is compiled here, so "linking" is choosing: the first input that holds kernels is handed on as it
// is. Programs link a kernel's PTX with a runtime library of device functions (cudadevrt), which has none of
// its own.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "maya/handles.h"
#include "maya/kernels.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr int kImage = 1;     // attribute of a linker handle
constexpr int kInputPtx = 1;  // CU_JIT_INPUT_PTX

bool has_kernels(const void* image, size_t bytes) {
  std::string error;
  Module* module = load_module(image, bytes, true, &error);
  if (!module) return false;
  const bool found = !module_facts(*module)->kernels.empty();
  unload_module(module);
  return found;
}

int add(void* state, const void* data, size_t bytes) {
  if (int status = require_context()) return status;
  Handle* linker = find_handle(state, Library::cuda, kLinker);
  if (!linker) return kInvalidHandle;
  if (!data || bytes == 0) return kInvalidValue;
  if (!get_attribute(*linker, kImage) && has_kernels(data, bytes))
    set_attribute(*linker, kImage, data, bytes);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuLinkCreate_v2(unsigned int, int*, void**, void** state) {
  if (int status = require_context()) return status;
  if (!state) return kInvalidValue;
  *state = create_handle(Library::cuda, kLinker);
  return kSuccess;
}

int cuLinkAddData_v2(void* state, int type, void* data, size_t bytes, const char*, unsigned int, int*,
                     void**) {
  if (type != kInputPtx || !data) return add(state, data, bytes);
  // Text may come without its final zero.
  const std::string text(static_cast<const char*>(data), strnlen(static_cast<const char*>(data), bytes));
  return add(state, text.c_str(), text.size() + 1);
}

int cuLinkAddFile_v2(void* state, int type, const char* path, unsigned int, int*, void**) {
  std::ifstream file(path ? path : "", std::ios::binary);
  if (!file) return kFileNotFound;
  std::string content{std::istreambuf_iterator<char>(file), {}};
  return cuLinkAddData_v2(state, type, content.data(), content.size(), path, 0, nullptr, nullptr);
}

int cuLinkComplete(void* state, void** image, size_t* bytes) {
  if (int status = require_context()) return status;
  Handle* linker = find_handle(state, Library::cuda, kLinker);
  if (!linker) return kInvalidHandle;
  const std::vector<char>* linked = get_attribute(*linker, kImage);
  if (!linked || !image) return linked ? kInvalidValue : kNoBinaryForGpu;
  *image = const_cast<char*>(linked->data());
  if (bytes) *bytes = linked->size();
  return kSuccess;
}

int cuLinkDestroy(void* state) {
  if (int status = require_driver()) return status;
  return destroy_handle(state, Library::cuda) ? kSuccess : kInvalidHandle;
}

}  // extern "C"
