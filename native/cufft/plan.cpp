#include "plan.h"

namespace maya::cufft {

using namespace mathlibs;

namespace {

// Up to 127 cuFFT has a kernel for the factor itself; beyond, it goes through a convolution of twice the
// length.
constexpr int64_t kLargestDirectFactor = 127;

int64_t largest_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t factor = 2; factor * factor <= n; factor++) {
    while (n % factor == 0) {
      largest = factor;
      n /= factor;
    }
  }
  return n > 1 ? n : largest;
}

int64_t next_power_of_two(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

}  // namespace

bool set_types(Plan* plan, int transform) {
  const bool is_double = (transform & 0x40) != 0;
  const int real = is_double ? kR64F : kR32F;
  const int complex = is_double ? kC64F : kC32F;
  switch (transform) {
    case kC2C:
    case kZ2Z:
      plan->input_type = plan->output_type = complex;
      break;
    case kR2C:
    case kD2Z:
      plan->input_type = real;
      plan->output_type = complex;
      break;
    case kC2R:
    case kZ2D:
      plan->input_type = complex;
      plan->output_type = real;
      break;
    default:
      return false;
  }
  plan->execution_type = complex;
  return true;
}

bool valid(const Plan& plan) {
  if (plan.rank < 1 || plan.rank > kMaxRank || plan.batch < 1) return false;
  for (int i = 0; i < plan.rank; i++) {
    if (plan.n[i] < 1) return false;
  }
  return true;
}

// One complex copy of the data, which is what cuFFT asks for in most cases; its documentation promises no
// more than "some multiple" and cufftEstimate only an upper guess.
size_t work_bytes(const Plan& plan) {
  int64_t elements = plan.batch;
  for (int i = 0; i < plan.rank; i++) {
    const bool direct = largest_factor(plan.n[i]) <= kLargestDirectFactor;
    elements *= direct ? plan.n[i] : next_power_of_two(2 * plan.n[i]);
  }
  const int complex = is_complex(plan.input_type) ? plan.input_type : plan.output_type;
  return static_cast<size_t>(elements * element_bytes(complex));
}

}  // namespace maya::cufft
