// Life and settings of random number generators.
//
// The tables of curandGetDirectionVectors and curandGetScrambleConstants stay unsupported: they are megabytes
// of constants for callers that generate on the device themselves.
#include "constants.h"
#include "gen/curand.h"

using namespace maya;
using namespace maya::curand;

namespace {

bool is_type(int type) {
  if (type >= kQuasi) return type <= kLastType;
  return type == 100 || type == 101 || type == 121 || type == 141 || type == 142 || type == 161;
}

int create(void** out, int rng_type, int host) {
  if (!is_type(rng_type)) return kTypeError;
  Handle* made = host ? mathlibs::open_descriptor(out, Library::curand, kGenerator)
                      : mathlibs::open_handle(out, Library::curand, kGenerator);
  if (!made) return kInitializationFailed;
  State state;
  state.rng_type = rng_type;
  state.host = host;
  set(*made, kState, state);
  return kSuccess;
}

template <typename T>
int store(void* generator, T State::* field, T value) {
  Handle* found = curand::find(generator);
  if (!found) return kNotInitialized;
  State state = get<State>(*found, kState);
  state.*field = value;
  set(*found, kState, state);
  return kSuccess;
}

bool is_quasi(void* generator) {
  Handle* found = curand::find(generator);
  return found && get<State>(*found, kState).rng_type >= kQuasi;
}

}  // namespace

int curandCreateGenerator(void** generator, int rng_type) {
  return create(generator, rng_type, 0);
}

int curandCreateGeneratorHost(void** generator, int rng_type) {
  return create(generator, rng_type, 1);
}

int curandDestroyGenerator(void* generator) {
  if (!curand::find(generator)) return kNotInitialized;
  return destroy_handle(generator, Library::curand) ? kSuccess : kNotInitialized;
}

int curandSetStream(void* generator, void* stream) {
  Handle* found = curand::find(generator);
  if (!found) return kNotInitialized;
  found->stream = stream;
  return kSuccess;
}

int curandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed) {
  return is_quasi(generator) ? kTypeError : store(generator, &State::seed, seed);
}

int curandSetGeneratorOffset(void* generator, unsigned long long offset) {
  return store(generator, &State::offset, offset);
}

int curandSetGeneratorOrdering(void* generator, int ordering) {
  if ((ordering < 100 || ordering > 104) && ordering != 201) return kOutOfRange;
  return store(generator, &State::ordering, ordering);
}

int curandSetQuasiRandomGeneratorDimensions(void* generator, unsigned dimensions) {
  if (dimensions < 1 || dimensions > 20000) return kOutOfRange;
  if (curand::find(generator) && !is_quasi(generator)) return kTypeError;
  return store(generator, &State::dimensions, dimensions);
}

int curandCreatePoissonDistribution(double lambda, void** distribution) {
  if (lambda <= 0) return kOutOfRange;
  Handle* made = mathlibs::open_descriptor(distribution, Library::curand, kDistribution);
  if (!made) return kAllocationFailed;
  set(*made, kLambda, lambda);
  return kSuccess;
}

int curandDestroyDistribution(void* distribution) {
  if (!mathlibs::find(distribution, Library::curand, kDistribution)) return kNotInitialized;
  return destroy_handle(distribution, Library::curand) ? kSuccess : kNotInitialized;
}

int curandGetVersion(int* version) {
  if (!version) return kOutOfRange;
  *version = kVersion.major * 1000 + kVersion.minor * 100 + kVersion.patch;
  return kSuccess;
}

int curandGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kOutOfRange;
}
