// Generating numbers: how many, of which distribution (the call's name), by which generator.
#include "constants.h"
#include "gen/curand.h"

using namespace maya;
using namespace maya::curand;

namespace {

// A generator on the host writes to host memory at once: zeros there, counted as values read.
int generate(Schema& schema, void* generator, void* output, size_t count, size_t element,
             bool pairs = false) {
  Call call;
  Handle* found = curand::find(generator);
  if (!found) return kNotInitialized;
  const State state = get<State>(*found, kState);
  const bool quasi = state.rng_type >= kQuasi;
  if (quasi && count % state.dimensions) return kLengthNotMultiple;
  if (!quasi && pairs && count % 2) return kLengthNotMultiple;  // normal numbers come in pairs
  if (count == 0) return kSuccess;
  if (state.host) {
    host_reads_result(output, count * element);
    return kSuccess;
  }
  submit(schema,
         {static_cast<int64_t>(count), static_cast<int64_t>(element), state.rng_type, state.ordering,
          state.dimensions},
         stream_of(*found));
  forget(output);
  return kSuccess;
}

}  // namespace

#define GENERATE(name, ...)                                                                       \
  MAYA_LIBRARY_SCHEMA(schema, #name, "n", "element_bytes", "rng_type", "ordering", "dimensions"); \
  return generate(schema, generator, __VA_ARGS__)

int curandGenerate(void* generator, unsigned* output, size_t n) {
  GENERATE(curandGenerate, output, n, sizeof *output);
}

int curandGenerateLongLong(void* generator, unsigned long long* output, size_t n) {
  GENERATE(curandGenerateLongLong, output, n, sizeof *output);
}

int curandGenerateUniform(void* generator, float* output, size_t n) {
  GENERATE(curandGenerateUniform, output, n, sizeof *output);
}

int curandGenerateUniformDouble(void* generator, double* output, size_t n) {
  GENERATE(curandGenerateUniformDouble, output, n, sizeof *output);
}

int curandGenerateNormal(void* generator, float* output, size_t n, float, float) {
  GENERATE(curandGenerateNormal, output, n, sizeof *output, true);
}

int curandGenerateNormalDouble(void* generator, double* output, size_t n, double, double) {
  GENERATE(curandGenerateNormalDouble, output, n, sizeof *output, true);
}

int curandGenerateLogNormal(void* generator, float* output, size_t n, float, float) {
  GENERATE(curandGenerateLogNormal, output, n, sizeof *output, true);
}

int curandGenerateLogNormalDouble(void* generator, double* output, size_t n, double, double) {
  GENERATE(curandGenerateLogNormalDouble, output, n, sizeof *output, true);
}

int curandGeneratePoisson(void* generator, unsigned* output, size_t n, double lambda) {
  if (lambda <= 0) return kOutOfRange;
  GENERATE(curandGeneratePoisson, output, n, sizeof *output);
}

int curandGeneratePoissonMethod(void* generator, unsigned* output, size_t n, double lambda, int) {
  if (lambda <= 0) return kOutOfRange;
  GENERATE(curandGeneratePoissonMethod, output, n, sizeof *output);
}

int curandGenerateBinomial(void* generator, unsigned* output, size_t n, unsigned, double) {
  GENERATE(curandGenerateBinomial, output, n, sizeof *output);
}

int curandGenerateBinomialMethod(void* generator, unsigned* output, size_t n, unsigned, double, int) {
  GENERATE(curandGenerateBinomialMethod, output, n, sizeof *output);
}

int curandGenerateSeeds(void* generator) {
  Handle* found = curand::find(generator);
  if (!found) return kNotInitialized;
  MAYA_LIBRARY_SCHEMA(schema, "curandGenerateSeeds", "rng_type");
  const State state = get<State>(*found, kState);
  if (!state.host) submit(schema, {state.rng_type}, stream_of(*found));
  return kSuccess;
}
