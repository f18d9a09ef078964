#include "maya/stream.h"

#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/graph.h"
#include "status.h"

using namespace maya;

namespace {

int create(void** handle, unsigned flags, int priority) {
  if (int error = ready()) return fail(error);
  if (!handle || flags > 1) return fail(kInvalidValue);
  // Priorities out of range are moved to the nearest valid one.
  int clamped = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  *handle = create_stream(current_device(), flags, clamped);
  return kSuccess;
}

int synchronize(void* handle, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (synchronize_stream(*on.stream)) return kSuccess;
  invalidate_capture(*on.stream);
  return fail(kStreamCaptureUnsupported);
}

int query(void* handle, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  switch (query_stream(*on.stream)) {
    case Answer::capturing:
      invalidate_capture(*on.stream);
      return fail(kStreamCaptureUnsupported);
    case Answer::pending:
      return fail(kNotReady);
    default:
      return kSuccess;
  }
}

int wait(void* handle, void* event_handle, unsigned flags, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  Event* event = find_event(event_handle);
  if (!event) return fail(kInvalidResourceHandle);
  if (flags > 1) return fail(kInvalidValue);
  if (event->capture && on.stream == &default_stream(on.stream->device)) {
    event->capture->invalidated = true;  // the legacy stream cannot be drawn into a capture
    return fail(kStreamCaptureImplicit);
  }
  return check(wait_event(*on.stream, *event), kStreamCaptureIsolation);
}

int host_function(void* handle, void* function, void* user_data, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (!function) return fail(kInvalidValue);
  host_callback(*on.stream, reinterpret_cast<void (*)(void*)>(function), user_data);
  return kSuccess;
}

struct Callback {
  void (*function)(void* stream, int status, void* user_data);
  void* stream;
  void* user_data;
};

}  // namespace

int cudaStreamCreate(void** stream) {
  return create(stream, 0, 0);
}
int cudaStreamCreateWithFlags(void** stream, unsigned int flags) {
  return create(stream, flags, 0);
}
int cudaStreamCreateWithPriority(void** stream, unsigned int flags, int priority) {
  return create(stream, flags, priority);
}

int cudaStreamDestroy(void* stream) {
  if (int error = ready()) return fail(error);
  return check(destroy_stream(stream), kInvalidResourceHandle);
}

int cudaStreamSynchronize(void* stream) {
  return synchronize(stream, false);
}
int cudaStreamSynchronize_ptsz(void* stream) {
  return synchronize(stream, true);
}
int cudaStreamQuery(void* stream) {
  return query(stream, false);
}
int cudaStreamQuery_ptsz(void* stream) {
  return query(stream, true);
}

int cudaStreamWaitEvent(void* stream, void* event, unsigned int flags) {
  return wait(stream, event, flags, false);
}
int cudaStreamWaitEvent_ptsz(void* stream, void* event, unsigned int flags) {
  return wait(stream, event, flags, true);
}

int cudaLaunchHostFunc(void* stream, void* function, void* user_data) {
  return host_function(stream, function, user_data, false);
}
int cudaLaunchHostFunc_ptsz(void* stream, void* function, void* user_data) {
  return host_function(stream, function, user_data, true);
}

int cudaStreamAddCallback(void* stream, void* function, void* user_data, unsigned int flags) {
  if (!function || flags) return fail(kInvalidValue);
  Callback callback{reinterpret_cast<void (*)(void*, int, void*)>(function), stream, user_data};
  StreamArgument on = stream_argument(stream, false);
  if (!on.stream) return on.error;
  if (on.stream->capture) return fail(kStreamCaptureUnsupported);
  host_callback(
      *on.stream,
      [](void* data) {
        auto* c = static_cast<Callback*>(data);
        c->function(c->stream, kSuccess, c->user_data);
      },
      &callback);
  return kSuccess;
}

int cudaStreamGetPriority(void* stream, int* priority) {
  StreamArgument on = stream_argument(stream, false);
  if (!on.stream) return on.error;
  if (!priority) return fail(kInvalidValue);
  *priority = on.stream->priority;
  return kSuccess;
}

int cudaStreamGetFlags(void* stream, unsigned int* flags) {
  StreamArgument on = stream_argument(stream, false);
  if (!on.stream) return on.error;
  if (!flags) return fail(kInvalidValue);
  *flags = on.stream->flags;
  return kSuccess;
}

int cudaStreamGetId(void* stream, unsigned long long* id) {
  StreamArgument on = stream_argument(stream, false);
  if (!on.stream) return on.error;
  if (!id) return fail(kInvalidValue);
  *id = on.stream->id;
  return kSuccess;
}

int cudaStreamGetDevice(void* stream, int* device) {
  StreamArgument on = stream_argument(stream, false);
  if (!on.stream) return on.error;
  if (!device) return fail(kInvalidValue);
  *device = on.stream->device;
  return kSuccess;
}

int cudaStreamAttachMemAsync(void* stream, void*, size_t, unsigned int) {
  return stream_argument(stream, false).error;
}
