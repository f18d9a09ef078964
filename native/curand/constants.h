// The numbers of curand.h that decide something here, and what a generator holds.
#pragma once

#include "mathlibs/support.h"

namespace maya::curand {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 101,
  kAllocationFailed = 102,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kInitializationFailed = 203,
};

constexpr int kQuasi = 200;  // from here on generators are quasi-random
constexpr int kLastType = 204;

constexpr mathlibs::Version kVersion{10, 3, 9};

struct State {
  int rng_type = 0;
  int ordering = 0;
  int host = 0;  // writes to host memory, on the processor
  unsigned dimensions = 1;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
};

enum Type : int { kGenerator, kDistribution };
enum Attribute : int { kState, kLambda };

inline Handle* find(void* generator) {
  return mathlibs::find(generator, Library::curand, kGenerator);
}

}  // namespace maya::curand
