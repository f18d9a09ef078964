// Elements of tensors: their types, and how PyTorch's kernels convert between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace maya {

// c10::ScalarType as it stands in the parameters of casting kernels.
enum class Element : int8_t {
  none = -1,
  u8 = 0,
  i8 = 1,
  i16 = 2,
  i32 = 3,
  i64 = 4,
  f16 = 5,
  f32 = 6,
  f64 = 7,
  c64 = 9,  // complex numbers only as what real ones are converted to
  c128 = 10,
  boolean = 11,
  bf16 = 15,
};

// "long" -> i64; none for quantised and unsigned types wider than a byte, which are not evaluated.
Element element_named(std::string_view cpp_type);
Element element_of_code(int8_t scalar_type);
size_t width_of(Element element);  // 0 for none
bool is_real(Element element);     // or complex
bool is_complex(Element element);
// What PyTorch computes in: float for the short floating-point types.
Element computed_in(Element element);

// One value. Which member counts follows from the element type that it was converted to.
struct Number {
  int64_t integer = 0;
  double real = 0;
};

// The value stored at `at`, as C++ would convert it to `as`.
Number load_number(Element stored, const char* at, Element as);
void store_number(Element stored, char* at, Number number, Element from);

}  // namespace maya
