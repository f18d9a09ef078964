#include "small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maya {
namespace {

int bias(const FloatFormat& format) {
  return (1 << (format.exponent_bits - 1)) - 1;
}
uint32_t mantissa_mask(const FloatFormat& format) {
  return (1u << format.mantissa_bits) - 1;
}
uint32_t top_exponent(const FloatFormat& format) {
  return (1u << format.exponent_bits) - 1;
}

uint32_t largest_bits(const FloatFormat& format) {
  if (format.finite_only) {
    return (top_exponent(format) << format.mantissa_bits) | (mantissa_mask(format) - 1);
  }
  return top_exponent(format) << format.mantissa_bits;  // infinity
}

uint32_t nan_bits(const FloatFormat& format) {
  return (top_exponent(format) << format.mantissa_bits) | mantissa_mask(format);
}

}  // namespace

float decode_float(uint32_t bits, const FloatFormat& format) {
  uint32_t mantissa = bits & mantissa_mask(format);
  uint32_t exponent = (bits >> format.mantissa_bits) & top_exponent(format);
  bool negative = bits >> (format.exponent_bits + format.mantissa_bits) & 1;
  float size;
  if (exponent == top_exponent(format) && !format.finite_only) {
    size = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == top_exponent(format) && mantissa == mantissa_mask(format)) {
    size = std::numeric_limits<float>::quiet_NaN();
  } else {
    uint32_t whole = exponent ? mantissa | (1u << format.mantissa_bits) : mantissa;
    int power = static_cast<int>(exponent ? exponent : 1) - bias(format) - format.mantissa_bits;
    size = std::ldexp(static_cast<float>(whole), power);
  }
  return negative ? -size : size;
}

uint32_t encode_float(float value, const FloatFormat& format) {
  uint32_t sign = std::signbit(value) ? 1u << (format.exponent_bits + format.mantissa_bits) : 0;
  if (std::isnan(value)) return sign | nan_bits(format);
  float size = std::fabs(value);
  if (size == 0) return sign;
  if (std::isinf(size)) return sign | largest_bits(format);
  int power = std::max(std::ilogb(size), 1 - bias(format));
  // In units of the last place; rint rounds ties to even in the default mode.
  float units = std::rint(std::ldexp(size, format.mantissa_bits - power));
  // The implicit bit adds one to the exponent field, a carry out of the mantissa another.
  int64_t bits =
      static_cast<int64_t>(units) + (static_cast<int64_t>(power + bias(format) - 1) << format.mantissa_bits);
  return sign | (bits < largest_bits(format) ? static_cast<uint32_t>(bits) : largest_bits(format));
}

}  // namespace maya
