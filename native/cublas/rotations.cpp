// Givens rotations: a few scalars, computed on the host when they lie there, as the real library does.
#include <cmath>
#include <complex>

#include "gen/cublas.h"
#include "state.h"

using namespace maya;
using namespace maya::cublas;

namespace {

// BLAS: r = sign * sqrt(a^2 + b^2), and z from which c and s can be had again.
template <typename Real>
void rotate(Real* a, Real* b, Real* c, Real* s) {
  const Real sign = std::fabs(*a) > std::fabs(*b) ? *a : *b;
  const Real r = std::copysign(std::hypot(*a, *b), sign);
  *c = r == 0 ? 1 : *a / r;
  *s = r == 0 ? 0 : *b / r;
  Real z = 1;
  if (std::fabs(*a) > std::fabs(*b))
    z = *s;
  else if (*c != 0)
    z = 1 / *c;
  *a = r;
  *b = r == 0 ? 0 : z;
}

template <typename Real>
void rotate(std::complex<Real>* a, std::complex<Real>* b, Real* c, std::complex<Real>* s) {
  const Real length = std::abs(*a);
  if (length == 0) {
    *c = 0;
    *s = 1;
    *a = *b;
    return;
  }
  const Real norm = std::hypot(length, std::abs(*b));
  const std::complex<Real> direction = *a / length;
  *c = length / norm;
  *s = direction * std::conj(*b) / norm;
  *a = direction * norm;
}

template <typename Scalar, typename Real>
int generate(Schema& schema, void* handle, void* a, void* b, Real* c, void* s) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!a || !b || !c || !s) return kInvalidValue;
  if (state_of(*found).pointer_mode == kHostPointers) {
    rotate(static_cast<Scalar*>(a), static_cast<Scalar*>(b), c, static_cast<Scalar*>(s));
    return kSuccess;
  }
  submit(schema, {sizeof(Scalar)}, stream_of(*found));
  for (void* output : {a, b, static_cast<void*>(c), s}) forget(output);
  return kSuccess;
}

// The modified rotation's parameters are not worth computing: zeros, counted as a value read.
template <typename Real>
int generate_modified(Schema& schema, void* handle, Real* param) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!param) return kInvalidValue;
  submit(schema, {sizeof(Real)}, stream_of(*found));
  if (state_of(*found).pointer_mode == kDevicePointers) {
    forget(param);
  } else {
    host_reads_result(param, 5 * sizeof(Real));
  }
  return kSuccess;
}

}  // namespace

#define SCHEMA(name) MAYA_LIBRARY_SCHEMA(schema, #name, "element_bytes")

int cublasSrotg_v2(void* handle, float* a, float* b, float* c, float* s) {
  SCHEMA(cublasSrotg_v2);
  return generate<float>(schema, handle, a, b, c, s);
}

int cublasDrotg_v2(void* handle, double* a, double* b, double* c, double* s) {
  SCHEMA(cublasDrotg_v2);
  return generate<double>(schema, handle, a, b, c, s);
}

int cublasCrotg_v2(void* handle, void* a, void* b, float* c, void* s) {
  SCHEMA(cublasCrotg_v2);
  return generate<std::complex<float>>(schema, handle, a, b, c, s);
}

int cublasZrotg_v2(void* handle, void* a, void* b, double* c, void* s) {
  SCHEMA(cublasZrotg_v2);
  return generate<std::complex<double>>(schema, handle, a, b, c, s);
}

int cublasSrotmg_v2(void* handle, float*, float*, float*, const float*, float* param) {
  SCHEMA(cublasSrotmg_v2);
  return generate_modified(schema, handle, param);
}

int cublasDrotmg_v2(void* handle, double*, double*, double*, const double*, double* param) {
  SCHEMA(cublasDrotmg_v2);
  return generate_modified(schema, handle, param);
}
