// Parameter objects: of the generic interface (X...), and of the Jacobi solvers syevj and gesvdj.
#include "constants.h"
#include "gen/cusolver.h"

using namespace maya;
using namespace maya::cusolver;

namespace {

template <typename T>
int store(void* info, int type, int key, T value) {
  Handle* found = cusolver::find(info, type);
  if (!found) return kInvalidValue;
  set(*found, key, value);
  return kSuccess;
}

// What an iterative solver did is known to the device alone: a converged result, counted as a value read.
template <typename T>
int load_result(void* handle, void* info, int type, T* result) {
  if (!cusolver::find(handle, kDense)) return kNotInitialized;
  if (!cusolver::find(info, type) || !result) return kInvalidValue;
  host_reads_result(result, sizeof *result);
  return kSuccess;
}

}  // namespace

int cusolverDnCreateParams(void** params) {
  return create(params, kParams);
}
int cusolverDnDestroyParams(void* params) {
  return destroy(params, kParams, kInvalidValue);
}

int cusolverDnSetAdvOptions(void* params, int function, int algorithm) {
  return store(params, kParams, function, algorithm);
}

#define JACOBI(name, Name, type)                                                   \
  int cusolverDnCreate##Name##Info(void** info) {                                  \
    return create(info, type);                                                     \
  }                                                                                \
  int cusolverDnDestroy##Name##Info(void* info) {                                  \
    return destroy(info, type, kInvalidValue);                                     \
  }                                                                                \
  int cusolverDnX##name##SetTolerance(void* info, double tolerance) {              \
    return store(info, type, kTolerance, tolerance);                               \
  }                                                                                \
  int cusolverDnX##name##SetMaxSweeps(void* info, int sweeps) {                    \
    return store(info, type, kMaxSweeps, sweeps);                                  \
  }                                                                                \
  int cusolverDnX##name##SetSortEig(void* info, int sort) {                        \
    return store(info, type, kSortEigenvalues, sort);                              \
  }                                                                                \
  int cusolverDnX##name##GetResidual(void* handle, void* info, double* residual) { \
    return load_result(handle, info, type, residual);                              \
  }                                                                                \
  int cusolverDnX##name##GetSweeps(void* handle, void* info, int* sweeps) {        \
    return load_result(handle, info, type, sweeps);                                \
  }

JACOBI(syevj, Syevj, kSyevj)
JACOBI(gesvdj, Gesvdj, kGesvdj)
