// Contexts: creation, the calling thread's stack, settings.
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

int create(void** handle, unsigned flags, int device, unsigned api_version) {
  if (int status = require_device(device)) return status;
  if (!handle) return kInvalidValue;
  Context* context = create_context(device, flags);
  context->api_version = api_version;
  push_context(context);
  *handle = context;
  return kSuccess;
}

constexpr int kLimitCount = 10;

// What a fresh context of the real driver reports, by CUlimit number.
size_t default_limit(int limit) {
  constexpr size_t kDefaults[kLimitCount] = {1024, 7340032, 8388608, 2, 2048, 64, 0, 0, 0, 0};
  return kDefaults[limit];
}

}  // namespace

extern "C" {

int cuCtxCreate_v2(void** handle, unsigned int flags, int device) {
  return create(handle, flags, device, 3020);
}

int cuCtxCreate_v3(void** handle, void*, int affinities, unsigned int flags, int device) {
  if (affinities != 0) return kNotSupported;  // MPS partitions
  return create(handle, flags, device, 3030);
}

int cuCtxCreate_v4(void** handle, void*, unsigned int flags, int device) {
  return create(handle, flags, device, 3030);
}

int cuCtxDestroy_v2(void* handle) {
  if (int status = require_driver()) return status;
  return destroy_context(handle) ? kSuccess : kInvalidContext;
}

int cuCtxPushCurrent_v2(void* handle) {
  if (int status = require_driver()) return status;
  Context* context = find_context(handle);
  if (!context) return kInvalidContext;
  push_context(context);
  return kSuccess;
}

int cuCtxPopCurrent_v2(void** handle) {
  if (int status = require_context()) return status;
  Context* context = pop_context();
  if (handle) *handle = context;
  return kSuccess;
}

int cuCtxSetCurrent(void* handle) {
  if (int status = require_driver()) return status;
  Context* context = find_context(handle);
  if (handle && !context) return kInvalidContext;
  set_current_context(context);
  return kSuccess;
}

int cuCtxGetCurrent(void** handle) {
  if (int status = require_driver()) return status;
  if (!handle) return kInvalidValue;
  *handle = current_context();
  return kSuccess;
}

int cuCtxGetDevice(int* device) {
  if (int status = require_context()) return status;
  if (!device) return kInvalidValue;
  *device = current_context()->device;
  return kSuccess;
}

int cuCtxGetDevice_v2(int* device, void* handle) {
  if (!handle) return cuCtxGetDevice(device);
  if (int status = require_driver()) return status;
  Context* context = find_context(handle);
  if (!context) return kInvalidContext;
  if (!device) return kInvalidValue;
  *device = context->device;
  return kSuccess;
}

int cuCtxGetId(void* handle, unsigned long long* id) {
  if (int status = require_driver()) return status;
  Context* context = handle ? find_context(handle) : current_context();
  if (!context) return kInvalidContext;
  if (!id) return kInvalidValue;
  *id = context->id;
  return kSuccess;
}

int cuCtxGetApiVersion(void* handle, unsigned int* version) {
  if (int status = require_driver()) return status;
  Context* context = handle ? find_context(handle) : current_context();
  if (!context) return kInvalidContext;
  if (!version) return kInvalidValue;
  *version = context->api_version;
  return kSuccess;
}

int cuCtxGetFlags(unsigned int* flags) {
  if (int status = require_context()) return status;
  if (!flags) return kInvalidValue;
  *flags = current_context()->flags;
  return kSuccess;
}

int cuCtxSetFlags(unsigned int flags) {
  if (int status = require_context()) return status;
  current_context()->flags = flags;
  return kSuccess;
}

int cuCtxSynchronize() {
  if (int status = require_context()) return status;
  Call call;
  return synchronize_device(current_device()) ? kSuccess : kStreamCaptureUnsupported;
}

int cuCtxSynchronize_v2(void* handle) {
  if (!handle) return cuCtxSynchronize();
  if (int status = require_driver()) return status;
  Context* context = find_context(handle);
  if (!context) return kInvalidContext;
  Call call;
  return synchronize_device(context->device) ? kSuccess : kStreamCaptureUnsupported;
}

int cuCtxGetLimit(size_t* value, int limit) {
  if (int status = require_context()) return status;
  if (!value) return kInvalidValue;
  if (limit < 0 || limit >= kLimitCount) return kUnsupportedLimit;
  const size_t set = current_context()->limits[limit];
  *value = set ? set : default_limit(limit);
  return kSuccess;
}

int cuCtxSetLimit(int limit, size_t value) {
  if (int status = require_context()) return status;
  if (limit < 0 || limit >= kLimitCount) return kUnsupportedLimit;
  current_context()->limits[limit] = value;
  return kSuccess;
}

int cuCtxGetCacheConfig(int* config) {
  if (int status = require_context()) return status;
  if (!config) return kInvalidValue;
  *config = current_context()->cache_config;
  return kSuccess;
}

int cuCtxSetCacheConfig(int config) {
  if (int status = require_context()) return status;
  if (config < 0 || config > 3) return kInvalidValue;
  current_context()->cache_config = config;
  return kSuccess;
}

// Every device since Maxwell has four-byte banks only.
int cuCtxGetSharedMemConfig(int* config) {
  if (int status = require_context()) return status;
  if (!config) return kInvalidValue;
  *config = 1;
  return kSuccess;
}

int cuCtxSetSharedMemConfig(int) {
  return require_context();
}
int cuCtxResetPersistingL2Cache() {
  return require_context();
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (int status = require_context()) return status;
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return kSuccess;
}

int cuCtxGetExecAffinity(void*, int) {
  if (int status = require_context()) return status;
  return kNotSupported;
}

}  // extern "C"
