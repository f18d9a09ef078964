#include <unistd.h>

#include <cstdio>

#include "device.h"

using namespace maya::nvml;

namespace {

const char* error_text(int result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 5:
      return "Already Initialized";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case 8:
      return "Insufficient External Power";
    case 9:
      return "Driver Not Loaded";
    case kTimeout:
      return "Timeout";
    case 12:
      return "NVML Shared Library Not Found";
    case 13:
      return "Function Not Found";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    case kVersionMismatch:
      return "Argument version mismatch";
    default:
      return "Unknown Error";
  }
}

}  // namespace

extern "C" {

const char* nvmlErrorString(int result) {
  return error_text(result);
}

int nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return initialized() ? copy_text(kDriverVersion, version, length) : kUninitialized;
}

int nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  return initialized() ? copy_text(kNvmlVersion, version, length) : kUninitialized;
}

int nvmlSystemGetCudaDriverVersion(int* cudaDriverVersion) {
  if (!cudaDriverVersion) return kInvalidArgument;
  *cudaDriverVersion = kCudaDriverVersion;
  return kSuccess;
}

int nvmlSystemGetCudaDriverVersion_v2(int* cudaDriverVersion) {
  return nvmlSystemGetCudaDriverVersion(cudaDriverVersion);
}

int nvmlSystemGetProcessName(unsigned int pid, char* name, unsigned int length) {
  if (!initialized()) return kUninitialized;
  if (!name || length == 0) return kInvalidArgument;
  char link[40];
  std::snprintf(link, sizeof link, "/proc/%u/exe", pid);
  ssize_t bytes = readlink(link, name, length - 1);
  if (bytes < 0) return kNotFound;
  name[bytes] = 0;
  return kSuccess;
}

int nvmlUnitGetCount(unsigned int* unitCount) {
  if (!initialized()) return kUninitialized;
  if (!unitCount) return kInvalidArgument;
  *unitCount = 0;
  return kSuccess;
}

}  // extern "C"
