// The numbers of cusolver_common.h that decide something here, and what handles hold.
#pragma once

#include "mathlibs/support.h"

namespace maya::cusolver {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kExecutionFailed = 6,
  kInternalError = 7,
};

#if MAYA_CUDA_MAJOR >= 13
constexpr mathlibs::Version kVersion{12, 2, 0};
#else
constexpr mathlibs::Version kVersion{11, 7, 3};
#endif

enum Type : int { kDense, kSparse, kParams, kSyevj, kGesvdj };

// Attributes of a dense handle.
enum Setting : int {
  kDeterministicMode,
  kMathMode,
  kEmulationStrategy,
  kMantissaControl,
  kMaxMantissaBits,
  kMantissaBitOffset,
  kSpecialValues,
};

// Attributes of the Jacobi solvers' parameters.
enum Jacobi : int { kTolerance, kMaxSweeps, kSortEigenvalues };

inline Handle* find(void* handle, int type) {
  return mathlibs::find(handle, Library::cusolver, type);
}

inline int create(void** out, int type) {
  if (!out) return kInvalidValue;
  return mathlibs::open_descriptor(out, Library::cusolver, type) ? kSuccess : kAllocFailed;
}

inline int create_on_device(void** out, int type) {
  if (!out) return kInvalidValue;
  return mathlibs::open_handle(out, Library::cusolver, type) ? kSuccess : kNotInitialized;
}

inline int destroy(void* handle, int type, int missing) {
  if (!find(handle, type)) return missing;
  return destroy_handle(handle, Library::cusolver) ? kSuccess : missing;
}

}  // namespace maya::cusolver
