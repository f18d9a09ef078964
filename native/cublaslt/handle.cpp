// Handles of cuBLASLt, and what the library says about itself.
#include "gen/cublasLt.h"
#include "problem.h"

using namespace maya;
using namespace maya::cublaslt;

int cublasLtCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return mathlibs::open_handle(handle, Library::cublasLt, 0) ? kSuccess : kNotInitialized;
}

int cublasLtDestroy(void* handle) {
  return handle && destroy_handle(handle, Library::cublasLt) ? kSuccess : kNotInitialized;
}

size_t cublasLtGetVersion() {
  return kVersionNumber;
}

size_t cublasLtGetCudartVersion() {
  return kCudartVersion;
}

int cublasLtGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}

const char* cublasLtGetStatusName(int status) {
  const char* name = status_name(status);
  return name ? name : "unknown cublasStatus_t";
}

const char* cublasLtGetStatusString(int status) {
  const char* text = status_text(status);
  return text ? text : "unknown cublasStatus_t";
}

// There is no cache, but 8192 entries is what the real one starts with.
int cublasLtHeuristicsCacheGetCapacity(size_t* capacity) {
  if (!capacity) return kInvalidValue;
  *capacity = 8192;
  return kSuccess;
}

int cublasLtHeuristicsCacheSetCapacity(size_t) {
  return kSuccess;
}

unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) {
  return 0;
}

int cublasLtLoggerSetCallback(void*) {
  return kSuccess;
}
int cublasLtLoggerSetFile(void*) {
  return kSuccess;
}
int cublasLtLoggerOpenFile(const char*) {
  return kSuccess;
}
int cublasLtLoggerSetLevel(int) {
  return kSuccess;
}
int cublasLtLoggerSetMask(int) {
  return kSuccess;
}
int cublasLtLoggerForceDisable() {
  return kSuccess;
}
