// Status codes of the runtime, and what every entry point does first.
#pragma once

#include "maya/stream.h"

namespace maya {

enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitialization = 3,
  kInvalidConfiguration = 9,
  kInvalidPitch = 12,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidMemcpyDirection = 21,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kDeviceNotLicensed = 102,
  kInvalidKernelImage = 200,
  kNoKernelImage = 209,
  kInvalidPtx = 218,
  kFileNotFound = 301,
  kInvalidResourceHandle = 400,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kLaunchOutOfResources = 701,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
};

// Remembers `code` as the thread's last error and returns it.
int fail(int code);

// Whether this process may use a device at all: 0, or the status that says why not. Counts as initialisation.
int ready();

inline int check(bool good, int code) {
  return good ? kSuccess : fail(code);
}

// The stream behind a handle, or a failed lookup with the error remembered.
struct StreamArgument {
  Stream* stream;
  int error;
};
StreamArgument stream_argument(void* handle, bool per_thread);

}  // namespace maya
