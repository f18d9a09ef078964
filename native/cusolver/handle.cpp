// Handles of the dense and sparse solvers, their streams and settings; what cuSOLVER says about itself.
#include "constants.h"
#include "gen/cusolver.h"

using namespace maya;
using namespace maya::cusolver;

namespace {

int set_stream(void* handle, int type, void* stream) {
  Handle* found = cusolver::find(handle, type);
  if (!found) return kNotInitialized;
  found->stream = stream;
  return kSuccess;
}

int get_stream(void* handle, int type, void** stream) {
  Handle* found = cusolver::find(handle, type);
  if (!found) return kNotInitialized;
  if (!stream) return kInvalidValue;
  *stream = found->stream;
  return kSuccess;
}

int store(void* handle, Setting setting, int value) {
  Handle* found = cusolver::find(handle, kDense);
  if (!found) return kNotInitialized;
  set(*found, setting, value);
  return kSuccess;
}

int load(void* handle, Setting setting, int* value, int fallback) {
  Handle* found = cusolver::find(handle, kDense);
  if (!found) return kNotInitialized;
  if (!value) return kInvalidValue;
  *value = get<int>(*found, setting, fallback);
  return kSuccess;
}

}  // namespace

int cusolverDnCreate(void** handle) {
  return create_on_device(handle, kDense);
}
int cusolverDnDestroy(void* handle) {
  return destroy(handle, kDense, kNotInitialized);
}
int cusolverDnSetStream(void* handle, void* stream) {
  return set_stream(handle, kDense, stream);
}
int cusolverDnGetStream(void* handle, void** stream) {
  return get_stream(handle, kDense, stream);
}

int cusolverSpCreate(void** handle) {
  return create_on_device(handle, kSparse);
}
int cusolverSpDestroy(void* handle) {
  return destroy(handle, kSparse, kNotInitialized);
}
int cusolverSpSetStream(void* handle, void* stream) {
  return set_stream(handle, kSparse, stream);
}
int cusolverSpGetStream(void* handle, void** stream) {
  return get_stream(handle, kSparse, stream);
}

// Settings and what they are before anybody sets them.
#define SETTING(name, setting, initial)               \
  int cusolverDnSet##name(void* handle, int value) {  \
    return store(handle, setting, value);             \
  }                                                   \
  int cusolverDnGet##name(void* handle, int* value) { \
    return load(handle, setting, value, initial);     \
  }

SETTING(DeterministicMode, kDeterministicMode, 1)
#if MAYA_CUDA_MAJOR >= 13
SETTING(MathMode, kMathMode, 1)
SETTING(EmulationStrategy, kEmulationStrategy, 0)
SETTING(FixedPointEmulationMantissaControl, kMantissaControl, 0)
SETTING(FixedPointEmulationMaxMantissaBitCount, kMaxMantissaBits, 0)
SETTING(FixedPointEmulationMantissaBitOffset, kMantissaBitOffset, 0)
SETTING(EmulationSpecialValuesSupport, kSpecialValues, 0)
#endif

int cusolverGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion.major * 1000 + kVersion.minor * 100 + kVersion.patch;
  return kSuccess;
}

int cusolverGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}

int cusolverDnLoggerSetCallback(void*) {
  return kSuccess;
}
int cusolverDnLoggerSetFile(void*) {
  return kSuccess;
}
int cusolverDnLoggerOpenFile(const char*) {
  return kSuccess;
}
int cusolverDnLoggerSetLevel(int) {
  return kSuccess;
}
int cusolverDnLoggerSetMask(int) {
  return kSuccess;
}
int cusolverDnLoggerForceDisable() {
  return kSuccess;
}
