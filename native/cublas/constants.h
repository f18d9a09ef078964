// The numbers of cublas_api.h that decide something here.
#pragma once

#include "mathlibs/support.h"

namespace maya::cublas {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kArchMismatch = 8,
  kMappingError = 11,
  kExecutionFailed = 13,
  kInternalError = 14,
  kNotSupported = 15,
  kLicenseError = 16,
};

enum PointerMode : int { kHostPointers = 0, kDevicePointers = 1 };

enum Compute : int {
  kCompute16F = 64,
  kCompute16FPedantic = 65,
  kCompute32F = 68,
  kCompute64F = 70,
  kCompute64FPedantic = 71,
  kCompute32I = 72,
  kCompute32IPedantic = 73,
  kCompute64FEmulated = 79,
};

#if MAYA_CUDA_MAJOR >= 13
constexpr mathlibs::Version kVersion{13, 4, 1};
constexpr size_t kCudartVersion = 13020;
#else
constexpr mathlibs::Version kVersion{12, 8, 4};
constexpr size_t kCudartVersion = 12080;
#endif
constexpr int kVersionNumber = kVersion.major * 10000 + kVersion.minor * 100 + kVersion.patch;

// CUBLAS_STATUS_...; null for a number that is none.
inline const char* status_name(int status) {
  switch (status) {
    case kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kArchMismatch:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case kMappingError:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kInternalError:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case kLicenseError:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return nullptr;
  }
}

inline const char* status_text(int status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kNotInitialized:
      return "the library was not initialized";
    case kAllocFailed:
      return "the resource allocation failed";
    case kInvalidValue:
      return "an unsupported value or parameter was passed to the function";
    case kArchMismatch:
      return "the function requires an architectural feature absent from the architecture of the device";
    case kMappingError:
      return "an access to GPU memory space failed";
    case kExecutionFailed:
      return "the function failed to launch on the GPU";
    case kInternalError:
      return "an internal operation failed";
    case kNotSupported:
      return "the functionality requested is not supported";
    case kLicenseError:
      return "an error was detected when checking the current licensing";
    default:
      return nullptr;
  }
}

}  // namespace maya::cublas
