#include "kernels/values/element.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/read.h"
#include "small_float.h"

namespace maya {
namespace {

struct Name {
  std::string_view text;
  Element element;
};

constexpr Name kNames[] = {
    {"unsigned char", Element::u8},
    {"signed char", Element::i8},
    {"short", Element::i16},
    {"int", Element::i32},
    {"long", Element::i64},
    {"c10::Half", Element::f16},
    {"float", Element::f32},
    {"double", Element::f64},
    {"bool", Element::boolean},
    {"c10::BFloat16", Element::bf16},
    {"c10::complex<float>", Element::c64},
    {"c10::complex<double>", Element::c128},
};

template <typename T>
void write(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

double round_to(Element element, double value) {
  if (element == Element::f64 || element == Element::c128) return value;
  auto single = static_cast<float>(value);
  if (element == Element::f32 || element == Element::c64) return single;
  const FloatFormat& format = element == Element::f16 ? kFloat16 : kBfloat16;
  return decode_float(encode_float(single, format), format);
}

int64_t wrap_to(Element element, int64_t value) {
  switch (element) {
    case Element::boolean:
      return value != 0;
    case Element::u8:
      return static_cast<uint8_t>(value);
    case Element::i8:
      return static_cast<int8_t>(value);
    case Element::i16:
      return static_cast<int16_t>(value);
    case Element::i32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

// As the device converts: towards zero, to the nearest that fits; NaN is 0.
int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kLimit = 9223372036854775808.0;
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  return value < -kLimit ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

Number convert(Number number, Element from, Element to) {
  if (is_real(to)) {
    return {0, round_to(to, is_real(from) ? number.real : static_cast<double>(number.integer))};
  }
  if (!is_real(from)) return {wrap_to(to, number.integer), 0};
  return {to == Element::boolean ? number.real != 0 : wrap_to(to, truncated(number.real)), 0};
}

Number read_number(Element stored, const char* at) {
  switch (stored) {
    case Element::boolean:
      return {read<uint8_t>(at) != 0, 0};
    case Element::u8:
      return {read<uint8_t>(at), 0};
    case Element::i8:
      return {read<int8_t>(at), 0};
    case Element::i16:
      return {read<int16_t>(at), 0};
    case Element::i32:
      return {read<int32_t>(at), 0};
    case Element::i64:
      return {read<int64_t>(at), 0};
    case Element::f16:
      return {0, decode_float(read<uint16_t>(at), kFloat16)};
    case Element::bf16:
      return {0, decode_float(read<uint16_t>(at), kBfloat16)};
    case Element::f32:
      return {0, read<float>(at)};
    case Element::f64:
      return {0, read<double>(at)};
    case Element::c64:
      return {0, read<float>(at)};
    case Element::c128:
      return {0, read<double>(at)};
    default:
      return {};
  }
}

}  // namespace

Element element_named(std::string_view cpp_type) {
  for (const Name& name : kNames) {
    if (name.text == cpp_type) return name.element;
  }
  return Element::none;
}

Element element_of_code(int8_t scalar_type) {
  auto element = static_cast<Element>(scalar_type);
  return width_of(element) ? element : Element::none;
}

size_t width_of(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::u8:
    case Element::i8:
      return 1;
    case Element::i16:
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::i32:
    case Element::f32:
      return 4;
    case Element::i64:
    case Element::f64:
    case Element::c64:
      return 8;
    case Element::c128:
      return 16;
    default:
      return 0;
  }
}

bool is_real(Element element) {
  return element == Element::f16 || element == Element::bf16 || element == Element::f32 ||
         element == Element::f64 || is_complex(element);
}

bool is_complex(Element element) {
  return element == Element::c64 || element == Element::c128;
}

Element computed_in(Element element) {
  return element == Element::f16 || element == Element::bf16 ? Element::f32 : element;
}

Number load_number(Element stored, const char* at, Element as) {
  return convert(read_number(stored, at), stored, as);
}

void store_number(Element stored, char* at, Number number, Element from) {
  Number value = convert(number, from, stored);
  switch (stored) {
    case Element::f16:
      return write(at, static_cast<uint16_t>(encode_float(static_cast<float>(value.real), kFloat16)));
    case Element::bf16:
      return write(at, static_cast<uint16_t>(encode_float(static_cast<float>(value.real), kBfloat16)));
    case Element::f32:
      return write(at, static_cast<float>(value.real));
    case Element::f64:
      return write(at, value.real);
    case Element::c64:
      write(at, static_cast<float>(value.real));
      return write(at + sizeof(float), 0.0F);
    case Element::c128:
      write(at, value.real);
      return write(at + sizeof(double), 0.0);
    default:
      // Little endian: the low bytes are the narrower integer.
      std::memcpy(at, &value.integer, width_of(stored));
  }
}

}  // namespace maya
