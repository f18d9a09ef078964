#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/stream.h"
#include "status.h"

using namespace maya;

namespace {

constexpr unsigned kDisableTiming = 2;
constexpr unsigned kLargestFlags = 7;

int create(void** handle, unsigned flags) {
  if (int error = ready()) return fail(error);
  if (!handle || flags > kLargestFlags) return fail(kInvalidValue);
  *handle = create_event(current_device(), flags);
  return kSuccess;
}

int record(void* event_handle, void* stream_handle, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(stream_handle, per_thread);
  if (!on.stream) return on.error;
  Event* event = find_event(event_handle);
  if (!event) return fail(kInvalidResourceHandle);
  record_event(*event, *on.stream);
  return kSuccess;
}

}  // namespace

int cudaEventCreate(void** event) {
  return create(event, 0);
}
int cudaEventCreateWithFlags(void** event, unsigned int flags) {
  return create(event, flags);
}

int cudaEventDestroy(void* event) {
  if (int error = ready()) return fail(error);
  return check(destroy_event(event), kInvalidResourceHandle);
}

int cudaEventRecord(void* event, void* stream) {
  return record(event, stream, false);
}
int cudaEventRecord_ptsz(void* event, void* stream) {
  return record(event, stream, true);
}
int cudaEventRecordWithFlags(void* event, void* stream, unsigned int) {
  return record(event, stream, false);
}
int cudaEventRecordWithFlags_ptsz(void* event, void* stream, unsigned int) {
  return record(event, stream, true);
}

int cudaEventQuery(void* handle) {
  Call call;
  if (int error = ready()) return fail(error);
  Event* event = find_event(handle);
  if (!event) return fail(kInvalidResourceHandle);
  switch (query_event(*event)) {
    case Answer::capturing:
      return fail(kCapturedEvent);
    case Answer::pending:
      return fail(kNotReady);
    default:
      return kSuccess;
  }
}

int cudaEventSynchronize(void* handle) {
  Call call;
  if (int error = ready()) return fail(error);
  Event* event = find_event(handle);
  if (!event) return fail(kInvalidResourceHandle);
  if (event->capture) return fail(kCapturedEvent);
  synchronize_event(*event);
  return kSuccess;
}

// Nothing runs, so the time between two events is the host's: positive, and of no meaning beyond that.
int cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  if (int error = ready()) return fail(error);
  Event* first = find_event(start);
  Event* second = find_event(end);
  if (!milliseconds) return fail(kInvalidValue);
  if (!first || !second) return fail(kInvalidResourceHandle);
  if ((first->flags | second->flags) & kDisableTiming) return fail(kInvalidResourceHandle);
  if (!first->recorded || !second->recorded) return fail(kInvalidResourceHandle);
  if (!time_known(*first, *second)) return fail(kNotReady);
  double ns = static_cast<double>(second->time_ns) - static_cast<double>(first->time_ns);
  *milliseconds = static_cast<float>(ns / 1e6);
  return kSuccess;
}

#if MAYA_CUDA_MAJOR == 12
int cudaEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
#endif
