#include "status.h"

#include <map>

#include "gen/cudart.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/graph.h"

namespace maya {
namespace {

thread_local int last_error = kSuccess;

struct Text {
  const char* name;
  const char* meaning;
};

const std::map<int, Text>& texts() {
  static const auto* table = new std::map<int, Text>{
      {0, {"cudaSuccess", "no error"}},
      {1, {"cudaErrorInvalidValue", "invalid argument"}},
      {2, {"cudaErrorMemoryAllocation", "out of memory"}},
      {3, {"cudaErrorInitializationError", "initialization error"}},
      {9, {"cudaErrorInvalidConfiguration", "invalid configuration argument"}},
      {12, {"cudaErrorInvalidPitchValue", "invalid pitch argument"}},
      {13, {"cudaErrorInvalidSymbol", "invalid device symbol"}},
      {17, {"cudaErrorInvalidDevicePointer", "invalid device pointer"}},
      {21, {"cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"}},
      {35, {"cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"}},
      {98, {"cudaErrorInvalidDeviceFunction", "invalid device function"}},
      {100, {"cudaErrorNoDevice", "no CUDA-capable device is detected"}},
      {101, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
      {200, {"cudaErrorInvalidKernelImage", "device kernel image is invalid"}},
      {201, {"cudaErrorDeviceUninitialized", "invalid device context"}},
      {209, {"cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"}},
      {217, {"cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"}},
      {218, {"cudaErrorInvalidPtx", "a PTX JIT compilation failed"}},
      {301, {"cudaErrorFileNotFound", "file not found"}},
      {400, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
      {500, {"cudaErrorSymbolNotFound", "named symbol not found"}},
      {600, {"cudaErrorNotReady", "device not ready"}},
      {700, {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
      {701, {"cudaErrorLaunchOutOfResources", "too many resources requested for launch"}},
      {704, {"cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"}},
      {705, {"cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"}},
      {712,
       {"cudaErrorHostMemoryAlreadyRegistered",
        "part or all of the requested memory range is already mapped"}},
      {713,
       {"cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"}},
      {719, {"cudaErrorLaunchFailure", "unspecified launch failure"}},
      {801, {"cudaErrorNotSupported", "operation not supported"}},
      {900, {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
      {901, {"cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"}},
      {903, {"cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"}},
      {905, {"cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"}},
      {906,
       {"cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"}},
      {907,
       {"cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"}},
      {910,
       {"cudaErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints specific "
        "to instantiated graph update"}},
      {999, {"cudaErrorUnknown", "unknown error"}},
  };
  return *table;
}

}  // namespace

int fail(int code) {
  last_error = code;
  return code;
}

int ready() {
  if (!usable_in_this_process()) return kInitialization;
  if (device_count() == 0) return kNoDevice;
  initialise_driver();
  return kSuccess;
}

StreamArgument stream_argument(void* handle, bool per_thread) {
  if (int error = ready()) return {nullptr, fail(error)};
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  bool legacy = value == 1 || (value == 0 && !per_thread);
  if (legacy && spoil_blocking_captures()) return {nullptr, fail(kStreamCaptureImplicit)};
  Stream* stream = find_stream(handle, per_thread);
  return stream ? StreamArgument{stream, kSuccess} : StreamArgument{nullptr, fail(kInvalidResourceHandle)};
}

}  // namespace maya

using namespace maya;

int cudaGetLastError() {
  int code = last_error;
  last_error = kSuccess;
  return code;
}

int cudaPeekAtLastError() {
  return last_error;
}

const char* cudaGetErrorName(int error) {
  auto found = texts().find(error);
  return found == texts().end() ? "unrecognized error code" : found->second.name;
}

const char* cudaGetErrorString(int error) {
  auto found = texts().find(error);
  return found == texts().end() ? "unrecognized error code" : found->second.meaning;
}
