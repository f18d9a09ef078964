// Events.
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr unsigned kDisableTiming = 2;
constexpr unsigned kEveryFlag = 7;

int require_event(void* handle, Event** event) {
  if (int status = require_context()) return status;
  *event = find_event(handle);
  return *event ? kSuccess : kInvalidHandle;
}

}  // namespace

extern "C" {

int cuEventCreate(void** handle, unsigned int flags) {
  if (int status = require_context()) return status;
  if (!handle || flags > kEveryFlag) return kInvalidValue;
  *handle = create_event(current_device(), flags);
  return *handle ? kSuccess : kOutOfMemory;
}

int cuEventDestroy_v2(void* handle) {
  if (int status = require_context()) return status;
  return destroy_event(handle) ? kSuccess : kInvalidHandle;
}

int cuEventRecord(void* handle, void* stream_handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(stream_handle, &stream)) return status;
  Event* event = find_event(handle);
  if (!event) return kInvalidHandle;
  Call call;
  record_event(*event, *stream);
  return kSuccess;
}

int cuEventRecordWithFlags(void* handle, void* stream_handle, unsigned int) {
  return cuEventRecord(handle, stream_handle);
}

int cuEventQuery(void* handle) {
  Event* event = nullptr;
  if (int status = require_event(handle, &event)) return status;
  Call call;
  switch (query_event(*event)) {
    case Answer::capturing:
      return kCapturedEvent;
    case Answer::pending:
      return kNotReady;
    default:
      return kSuccess;
  }
}

int cuEventSynchronize(void* handle) {
  Event* event = nullptr;
  if (int status = require_event(handle, &event)) return status;
  if (event->capture) return kCapturedEvent;
  Call call;
  synchronize_event(*event);
  return kSuccess;
}

int cuEventElapsedTime_v2(float* milliseconds, void* start_handle, void* end_handle) {
  Event* start = nullptr;
  Event* end = nullptr;
  if (int status = require_event(start_handle, &start)) return status;
  if (int status = require_event(end_handle, &end)) return status;
  if (!milliseconds) return kInvalidValue;
  if ((start->flags | end->flags) & kDisableTiming) return kInvalidHandle;
  if (!start->recorded || !end->recorded) return kInvalidHandle;
  if (!time_known(*start, *end)) return kNotReady;
  const auto gap_ns = static_cast<int64_t>(end->time_ns) - static_cast<int64_t>(start->time_ns);
  *milliseconds = static_cast<float>(gap_ns) * 1e-6f;
  return kSuccess;
}

int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

}  // extern "C"
