// What cuBLAS says about itself: versions, texts of statuses, logging (there is nothing to log).
#include "constants.h"
#include "gen/cublas.h"

using namespace maya;
using namespace maya::cublas;

int cublasGetVersion_v2(void*, int* version) {
  if (!version) return kInvalidValue;
  *version = kVersionNumber;
  return kSuccess;
}

int cublasGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}

size_t cublasGetCudartVersion() {
  return kCudartVersion;
}

const char* cublasGetStatusName(int status) {
  const char* name = status_name(status);
  return name ? name : "unknown cublasStatus_t";
}

const char* cublasGetStatusString(int status) {
  const char* text = status_text(status);
  return text ? text : "unknown cublasStatus_t";
}

int cublasLoggerConfigure(int, int, int, const char*) {
  return kSuccess;
}

int cublasSetLoggerCallback(void*) {
  return kSuccess;
}

int cublasGetLoggerCallback(void** callback) {
  if (!callback) return kInvalidValue;
  *callback = nullptr;
  return kSuccess;
}

void cublasXerbla(const char*, int) {}
