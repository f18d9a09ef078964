// Versions, identities, error texts.
#include "constants.h"
#include "gen/cupti.h"
#include "listener.h"
#include "maya/device.h"
#include "maya/stream.h"

using namespace maya::cupti;

namespace {

constexpr const char* kResultNames[] = {
    "CUPTI_SUCCESS",
    "CUPTI_ERROR_INVALID_PARAMETER",
    "CUPTI_ERROR_INVALID_DEVICE",
    "CUPTI_ERROR_INVALID_CONTEXT",
    "CUPTI_ERROR_INVALID_EVENT_DOMAIN_ID",
    "CUPTI_ERROR_INVALID_EVENT_ID",
    "CUPTI_ERROR_INVALID_EVENT_NAME",
    "CUPTI_ERROR_INVALID_OPERATION",
    "CUPTI_ERROR_OUT_OF_MEMORY",
    "CUPTI_ERROR_HARDWARE",
    "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
    "CUPTI_ERROR_API_NOT_IMPLEMENTED",
    "CUPTI_ERROR_MAX_LIMIT_REACHED",
    "CUPTI_ERROR_NOT_READY",
    "CUPTI_ERROR_NOT_COMPATIBLE",
    "CUPTI_ERROR_NOT_INITIALIZED",
    "CUPTI_ERROR_INVALID_METRIC_ID",
    "CUPTI_ERROR_INVALID_METRIC_NAME",
    "CUPTI_ERROR_QUEUE_EMPTY",
    "CUPTI_ERROR_INVALID_HANDLE",
    "CUPTI_ERROR_INVALID_STREAM",
    "CUPTI_ERROR_INVALID_KIND",
    "CUPTI_ERROR_INVALID_EVENT_VALUE",
    "CUPTI_ERROR_DISABLED",
    "CUPTI_ERROR_INVALID_MODULE",
    "CUPTI_ERROR_INVALID_METRIC_VALUE",
    "CUPTI_ERROR_HARDWARE_BUSY",
    "CUPTI_ERROR_NOT_SUPPORTED",
};
constexpr int kNames = sizeof kResultNames / sizeof *kResultNames;

}  // namespace

extern "C" {

int cuptiGetVersion(uint32_t* version) {
  if (!version) return kInvalidParameter;
  *version = kVersion;
  return kSuccess;
}

int cuptiGetResultString(int result, const char** str) {
  if (!str || result < 0) return kInvalidParameter;
  if (result == kMultipleSubscribers) {
    *str = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  } else {
    *str = result < kNames ? kResultNames[result] : "CUPTI_ERROR_UNKNOWN";
  }
  return kSuccess;
}

int cuptiGetErrorMessage(int result, const char** str) {
  return cuptiGetResultString(result, str);
}

// Failures are told at once; none is kept.
int cuptiGetLastError() {
  return kSuccess;
}

int cuptiGetDeviceId(void*, uint32_t* deviceId) {
  if (!deviceId) return kInvalidParameter;
  *deviceId = static_cast<uint32_t>(maya::current_device());
  return kSuccess;
}

int cuptiGetContextId(void*, uint32_t* contextId) {
  if (!contextId) return kInvalidParameter;
  *contextId = context_id(maya::current_device());
  return kSuccess;
}

int cuptiGetStreamIdEx(void*, void* stream, uint8_t perThreadStream, uint32_t* streamId) {
  if (!streamId) return kInvalidParameter;
  maya::Stream* found = maya::find_stream(stream, perThreadStream != 0);
  if (!found) return kInvalidStream;
  *streamId = stream_id(found->number);
  return kSuccess;
}

int cuptiGetStreamId(void* context, void* stream, uint32_t* streamId) {
  return cuptiGetStreamIdEx(context, stream, 0, streamId);
}

int cuptiDeviceSupported(int dev, int* support) {
  if (!support || dev < 0 || dev >= maya::device_count()) return kInvalidParameter;
  *support = 1;
  return kSuccess;
}

int cuptiDeviceVirtualizationMode(int dev, int* mode) {
  if (!mode || dev < 0 || dev >= maya::device_count()) return kInvalidParameter;
  *mode = 0;
  return kSuccess;
}

}  // extern "C"
