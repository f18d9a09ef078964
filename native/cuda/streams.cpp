// Streams. The _ptsz entry points stand in per_thread.cpp.
#include "graph_nodes.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr unsigned kNonBlocking = 1;

// The driver clamps a priority to the device's range instead of refusing it.
int clamp_priority(int priority) {
  return priority > 0 ? 0 : priority < -5 ? -5 : priority;
}

// Waiting for a captured stream spoils the capture.
int refuse_while_capturing(Stream& stream) {
  invalidate_capture(stream);
  return kStreamCaptureUnsupported;
}

struct Callback {
  void (*function)(void* stream, int status, void* user_data);
  void* stream;
  void* user_data;
};

void run_callback(void* data) {
  auto* callback = static_cast<Callback*>(data);
  callback->function(callback->stream, kSuccess, callback->user_data);
}

}  // namespace

extern "C" {

int cuStreamCreateWithPriority(void** handle, unsigned int flags, int priority) {
  if (int status = require_context()) return status;
  if (!handle || flags > kNonBlocking) return kInvalidValue;
  *handle = create_stream(current_device(), flags, clamp_priority(priority));
  return *handle ? kSuccess : kOutOfMemory;
}

int cuStreamCreate(void** handle, unsigned int flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

int cuStreamDestroy_v2(void* handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  return destroy_stream(handle) ? kSuccess : kInvalidHandle;
}

int cuStreamGetPriority(void* handle, int* priority) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!priority) return kInvalidValue;
  *priority = stream->priority;
  return kSuccess;
}

int cuStreamGetFlags(void* handle, unsigned int* flags) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!flags) return kInvalidValue;
  *flags = stream->flags;
  return kSuccess;
}

int cuStreamGetId(void* handle, unsigned long long* id) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!id) return kInvalidValue;
  *id = stream->id;
  return kSuccess;
}

int cuStreamGetDevice(void* handle, int* device) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!device) return kInvalidValue;
  *device = stream->device;
  return kSuccess;
}

int cuStreamGetCtx(void* handle, void** context) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!context) return kInvalidValue;
  Context* current = current_context();
  *context = current->device == stream->device ? current : primary_context(stream->device);
  return kSuccess;
}

int cuStreamGetCtx_v2(void* handle, void** context, void** green) {
  if (green) *green = nullptr;
  return cuStreamGetCtx(handle, context);
}

int cuStreamGetGreenCtx(void* handle, void** green) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!green) return kInvalidValue;
  *green = nullptr;
  return kSuccess;
}

int cuStreamSynchronize(void* handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Call call;
  return synchronize_stream(*stream) ? kSuccess : refuse_while_capturing(*stream);
}

int cuStreamQuery(void* handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Call call;
  switch (query_stream(*stream)) {
    case Answer::capturing:
      return refuse_while_capturing(*stream);
    case Answer::pending:
      return kNotReady;
    default:
      return kSuccess;
  }
}

int cuStreamWaitEvent(void* handle, void* event_handle, unsigned int) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Event* event = find_event(event_handle);
  if (!event) return kInvalidHandle;
  Call call;
  return wait_event(*stream, *event) ? kSuccess : kStreamCaptureIsolation;
}

int cuLaunchHostFunc(void* handle, void* function, void* user_data) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!function) return kInvalidValue;
  if (stream->capture) return submit_host({function, user_data}, *stream);
  host_callback(*stream, reinterpret_cast<void (*)(void*)>(function), user_data);
  return kSuccess;
}

int cuLaunchHostFunc_v2(void* handle, void* function, void* user_data, unsigned int) {
  return cuLaunchHostFunc(handle, function, user_data);
}

int cuStreamAddCallback(void* handle, void* function, void* user_data, unsigned int flags) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!function || flags != 0) return kInvalidValue;
  if (stream->capture) return kStreamCaptureUnsupported;
  // Runs before host_callback returns, so it may live on this stack.
  Callback callback{reinterpret_cast<void (*)(void*, int, void*)>(function), handle, user_data};
  host_callback(*stream, run_callback, &callback);
  return kSuccess;
}

int cuStreamAttachMemAsync(void* handle, unsigned long long, size_t, unsigned int) {
  Stream* stream = nullptr;
  return require_stream(handle, &stream);
}

}  // extern "C"
