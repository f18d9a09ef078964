// Start of the driver, and the small services that need no context.
#include "maya/handles.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

extern "C" {

int cuInit(unsigned int flags) {
  if (flags != 0) return kInvalidValue;
  if (!usable_in_this_process()) return kNotInitialized;
  if (device_count() == 0) return kNoDevice;
  start_driver();
  return kSuccess;
}

// The newest version: a driver serves every older runtime, so one answer fits CUDA 12 and 13 builds.
int cuDriverGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kDriverVersion;
  return kSuccess;
}

int cuProfilerInitialize(const char*, const char*, int) {
  return kNotSupported;
}
int cuProfilerStart() {
  return require_context();
}
int cuProfilerStop() {
  return require_context();
}

// Nothing is ever logged: a registered callback is kept so that it can be unregistered.
int cuLogsRegisterCallback(void* function, void*, void** callback) {
  if (!function) return kInvalidValue;
  Handle* handle = create_handle(Library::cuda, kLogCallback);
  if (callback) *callback = handle;
  return kSuccess;
}

int cuLogsUnregisterCallback(void* callback) {
  return destroy_handle(callback, Library::cuda) ? kSuccess : kInvalidValue;
}

int cuLogsCurrent(unsigned int* iterator, unsigned int) {
  if (!iterator) return kInvalidValue;
  *iterator = 0;
  return kSuccess;
}

int cuLogsDumpToMemory(unsigned int*, char* buffer, size_t* size, unsigned int) {
  if (!buffer || !size) return kInvalidValue;
  *size = 0;
  return kSuccess;
}

}  // extern "C"
