// Floating-point formats that C++17 does not have.
#pragma once

#include <cstdint>

namespace maya {

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool finite_only;  // no infinities: the top exponent holds numbers, all ones is NaN, overflow saturates
};

constexpr FloatFormat kFloat16{5, 10, false};
constexpr FloatFormat kBfloat16{8, 7, false};
constexpr FloatFormat kFloat8e4m3{4, 3, true};
constexpr FloatFormat kFloat8e5m2{5, 2, false};

float decode_float(uint32_t bits, const FloatFormat& format);
// Rounds to nearest, ties to even.
uint32_t encode_float(float value, const FloatFormat& format);

}  // namespace maya
