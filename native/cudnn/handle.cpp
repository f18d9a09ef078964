// The library handle, its stream, versions and the logging callback.
#include <dlfcn.h>

#include <mutex>

#include "descriptor.h"
#include "gen/cudnn.h"
#include "maya/device.h"
#include "maya/stream.h"

using namespace maya::cudnn;

namespace {

// Nothing is ever logged; kept so that a program reads back what it set.
struct LogCallback {
  unsigned mask = 0;
  void* user_data = nullptr;
  void* function = nullptr;
};
std::mutex log_mutex;
LogCallback log_callback;

}  // namespace

extern "C" {

size_t cudnnGetVersion() {
  return kVersion;
}

size_t cudnnGetMaxDeviceVersion() {
  return 1210;
}

size_t cudnnGetCudartVersion() {
  // One libcudnn.so.9 serves CUDA 12 and 13 programs: follow the runtime that is preloaded beside it.
  auto query = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion"));
  int version = 0;
  if (!query || query(&version) != 0) return 12080;
  return static_cast<size_t>(version);
}

int cudnnGetProperty(int type, int* value) {
  if (!value) return fail(kBadParamNullPointer, "value == nullptr");
  constexpr int kParts[] = {kVersion / 10000, kVersion / 100 % 100, kVersion % 100};
  if (type < 0 || type > 2) return fail(kBadParam, "unknown property");
  *value = kParts[type];
  return kSuccess;
}

int cudnnCreate(void** handle) {
  maya::Call call;
  if (!handle) return fail(kBadParamNullPointer, "handle == nullptr");
  if (maya::device_count() == 0 || !maya::usable_in_this_process()) {
    return fail(kNotInitialized, "no usable CUDA device");
  }
  maya::ensure_context(maya::current_device());
  *handle = maya::create_handle(maya::Library::cudnn, kHandleObject);
  return kSuccess;
}

int cudnnDestroy(void* handle) {
  if (!handle) return kSuccess;
  if (!library(handle)) return kBadParam;
  maya::destroy_handle(handle, maya::Library::cudnn);
  return kSuccess;
}

int cudnnSetStream(void* handle, void* streamId) {
  maya::Handle* found = library(handle);
  if (!found) return kBadParam;
  if (!maya::find_stream(streamId)) return fail(kBadParam, "not a live stream");
  found->stream = streamId;
  return kSuccess;
}

int cudnnGetStream(void* handle, void** streamId) {
  maya::Handle* found = library(handle);
  if (!found) return kBadParam;
  if (!streamId) return fail(kBadParamNullPointer, "streamId == nullptr");
  *streamId = found->stream;
  return kSuccess;
}

int cudnnSetCallback(unsigned int mask, void* udata, void* fptr) {
  std::lock_guard<std::mutex> lock(log_mutex);
  log_callback = {mask, udata, fptr};
  return kSuccess;
}

int cudnnGetCallback(unsigned int* mask, void** udata, void** fptr) {
  std::lock_guard<std::mutex> lock(log_mutex);
  store(mask, log_callback.mask);
  store(udata, log_callback.user_data);
  store(fptr, log_callback.function);
  return kSuccess;
}

}  // extern "C"
