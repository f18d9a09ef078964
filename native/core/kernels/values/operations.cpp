#include "kernels/values/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace maya {
namespace {

// Integers wrap as they do on the device; in C++ a signed overflow is undefined.
int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
double add(double a, double b) {
  return a + b;
}
int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
double multiply(double a, double b) {
  return a * b;
}
// The least integer has no quotient by -1.
int64_t divide(int64_t a, int64_t b) {
  return b == -1 ? multiply(a, -1) : a / b;
}
double divide(double a, double b) {
  return a / b;
}
int64_t divide_trunc(int64_t a, int64_t b) {
  return divide(a, b);
}
double divide_trunc(double a, double b) {
  return std::trunc(a / b);
}
int64_t modulo(int64_t a, int64_t b) {
  return b == -1 ? 0 : a % b;
}
double modulo(double a, double b) {
  return std::fmod(a, b);
}
template <typename T>
T remainder_of(T a, T b) {
  T rest = modulo(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? add(rest, b) : rest;
}
int64_t divide_floor(int64_t a, int64_t b) {
  int64_t quotient = divide(a, b);
  return modulo(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
double divide_floor(double a, double b) {
  if (b == 0) return a / b;
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}
int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; exponent; exponent >>= 1, base = multiply(base, base)) {
    if (exponent & 1) result = multiply(result, base);
  }
  return result;
}
double power(double base, double exponent) {
  return std::pow(base, exponent);
}
int64_t negate(int64_t a) {
  return multiply(a, -1);
}
double negate(double a) {
  return -a;
}
template <typename T>
T absolute(T a) {
  return a < 0 || (std::is_same_v<T, double> && std::signbit(static_cast<double>(a))) ? negate(a) : a;
}
template <typename T>
bool is_nan(T a) {
  return a != a;
}
template <typename T>
T least(T a, T b) {
  return is_nan(a) || a < b ? a : b;
}
template <typename T>
T greatest(T a, T b) {
  return is_nan(a) || a > b ? a : b;
}
template <typename T>
T sign_of(T a) {
  return static_cast<T>((0 < a) - (a < 0));
}
double step_of(double a, double b) {
  return is_nan(a) ? a : a == 0 ? b : a > 0 ? 1 : 0;
}
double sigmoid(double a) {
  return 1 / (1 + std::exp(-a));
}
double softplus(double a) {
  return std::log1p(std::exp(-std::fabs(a))) + std::max(a, 0.0);
}
// at::native's OpType: greater or equal, greater, less or equal, less.
template <typename T>
bool ordered(int32_t choice, T a, T b) {
  return choice == 0 ? a >= b : choice == 1 ? a > b : choice == 2 ? a <= b : a < b;
}
// at::native's ClampLimits: a lower one, an upper one, both.
template <typename T>
T clamped(T a, const Held<T>& held) {
  if (is_nan(a)) return a;
  if (held.choice == 0) return std::max(a, held.numbers[0]);
  if (held.choice == 1) return std::min(a, held.numbers[0]);
  return std::min(std::max(a, held.numbers[0]), held.numbers[1]);
}
template <typename T>
T clamped(T a, T low, T high) {
  if (is_nan(a)) return a;
  if (is_nan(low)) return low;
  return is_nan(high) ? high : std::min(std::max(a, low), high);
}
// Shifts by as much as the type is wide, or by less than nothing, give what is shifted out.
int64_t shift_left(int64_t a, int64_t by) {
  return by < 0 || by > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << by);
}
int64_t shift_right(int64_t a, int64_t by) {
  return a >> (by < 0 || by > 63 ? 63 : by);
}
int64_t bits(double) {
  return 0;
}
int64_t bits(int64_t a) {
  return a;
}

using D = Decides;

// In an expression `x` are the operands and `h` is what the functor holds.
#define GIVES(expression)                                                                       \
  [](const auto* x, const auto& h) -> std::remove_cv_t<std::remove_reference_t<decltype(*x)>> { \
    (void)x, (void)h;                                                                           \
    return static_cast<std::remove_cv_t<std::remove_reference_t<decltype(*x)>>>(expression);    \
  }
#define OPERATION(name, operands, boolean, held, decides, divides, expression) \
  {name, operands, boolean, held, decides, divides, GIVES(expression), GIVES(expression)}
#define UNARY(name, expression) OPERATION(name, 1, false, "", D::nothing, false, expression)
#define BINARY(name, expression) OPERATION(name, 2, false, "", D::nothing, false, expression)
#define TEST(name, operands, expression) OPERATION(name, operands, true, "", D::nothing, false, expression)

const Operation kOperations[] = {
    OPERATION("FillFunctor", 0, false, "t", D::nothing, false, h.numbers[0]),
    UNARY("direct_copy_kernel_cuda", x[0]),
    UNARY("converting_copy_kernel_cuda", x[0]),
    UNARY("float16_copy_kernel_cuda", x[0]),
    UNARY("bfloat16_copy_kernel_cuda", x[0]),
    UNARY("bfloat16tofloat32_copy_kernel_cuda", x[0]),
    UNARY("float16tofloat32_copy_kernel_cuda", x[0]),
    OPERATION("CUDAFunctor_add", 2, false, "n", D::nothing, false, add(x[0], multiply(h.numbers[0], x[1]))),
    OPERATION("CUDAFunctorOnSelf_add", 1, false, "nn", D::nothing, false,
              add(x[0], multiply(h.numbers[1], h.numbers[0]))),
    OPERATION("CUDAFunctorOnOther_add", 1, false, "nn", D::nothing, false,
              add(h.numbers[0], multiply(h.numbers[1], x[0]))),
    OPERATION("MulFunctor", 2, false, "", D::zero, false, multiply(x[0], x[1])),
    BINARY("DivFunctor", divide(x[0], x[1])),
    OPERATION("div_trunc_kernel_cuda", 2, false, "", D::nothing, true, divide_trunc(x[0], x[1])),
    OPERATION("div_trunc_kernel_cuda", 1, false, "n", D::nothing, false,
              divide_trunc(multiply(x[0], h.numbers[0]), std::remove_reference_t<decltype(h.numbers[0])>(1))),
    OPERATION("div_floor_kernel_cuda", 2, false, "", D::nothing, true, divide_floor(x[0], x[1])),
    OPERATION("div_floor_kernel_cuda", 1, false, "nn", D::nothing, true, divide_floor(x[0], h.numbers[0])),
    OPERATION("remainder_kernel_cuda", 2, false, "", D::nothing, true, remainder_of(x[0], x[1])),
    OPERATION("fmod_kernel_cuda", 2, false, "", D::nothing, true, modulo(x[0], x[1])),
    OPERATION("BitwiseAndFunctor", 2, false, "", D::zero, false, bits(x[0]) & bits(x[1])),
    OPERATION("BitwiseOrFunctor", 2, false, "", D::nothing, false, bits(x[0]) | bits(x[1])),
    BINARY("BitwiseXorFunctor", bits(x[0]) ^ bits(x[1])),
    UNARY("bitwise_not_kernel_cuda", ~bits(x[0])),
    BINARY("lshift_kernel_cuda", shift_left(bits(x[0]), bits(x[1]))),
    BINARY("rshift_kernel_cuda", shift_right(bits(x[0]), bits(x[1]))),
    OPERATION("logical_and_kernel_cuda", 2, true, "", D::zero, false, x[0] != 0 && x[1] != 0),
    OPERATION("logical_or_kernel_cuda", 2, true, "", D::nonzero, false, x[0] != 0 || x[1] != 0),
    TEST("logical_xor_kernel_cuda", 2, (x[0] != 0) != (x[1] != 0)),
    TEST("logical_not_kernel_cuda", 1, x[0] == 0),
    OPERATION("CompareFunctor", 2, true, "c", D::nothing, false, ordered(h.choice, x[0], x[1])),
    OPERATION("CompareEqFunctor", 2, true, "c", D::nothing, false, (x[0] == x[1]) == (h.choice == 0)),
    OPERATION("compare_scalar_kernel", 1, true, "ct", D::nothing, false,
              ordered(h.choice, x[0], h.numbers[0])),
    OPERATION("where_kernel_impl", 3, false, "", D::condition, false, x[0] != 0 ? x[1] : x[2]),
    OPERATION("masked_fill_kernel", 2, false, "t", D::mask, false, x[1] != 0 ? h.numbers[0] : x[0]),
    BINARY("maximum_kernel_cuda", greatest(x[0], x[1])),
    BINARY("minimum_kernel_cuda", least(x[0], x[1])),
    BINARY("fmax_kernel_cuda",
           is_nan(x[0])   ? x[1]
           : is_nan(x[1]) ? x[0]
                          : std::max(x[0], x[1])),
    BINARY("fmin_kernel_cuda",
           is_nan(x[0])   ? x[1]
           : is_nan(x[1]) ? x[0]
                          : std::min(x[0], x[1])),
    OPERATION("launch_clamp_scalar", 1, false, "cnn", D::nothing, false, clamped(x[0], h)),
    OPERATION("clamp_kernel_impl", 3, false, "", D::nothing, false, clamped(x[0], x[1], x[2])),
    OPERATION("pow_tensor_scalar_kernel_impl#1", 1, false, "", D::nothing, false, multiply(x[0], x[0])),
    OPERATION("pow_tensor_scalar_kernel_impl#2", 1, false, "", D::nothing, false,
              multiply(multiply(x[0], x[0]), x[0])),
    OPERATION("pow_tensor_scalar_kernel_impl#3", 1, false, "", D::nothing, false,
              power(x[0], std::remove_cv_t<std::remove_reference_t<decltype(*x)>>(-2))),
    OPERATION("pow_tensor_scalar_kernel_impl#4", 1, false, "t", D::nothing, false, power(x[0], h.numbers[0])),
    OPERATION("pow_scalar_tensor_impl", 1, false, "n", D::nothing, false, power(h.numbers[0], x[0])),
    BINARY("pow_tensor_tensor_kernel", power(x[0], x[1])),
    UNARY("neg_kernel_cuda", negate(x[0])),
    UNARY("AbsFunctor", absolute(x[0])),
    UNARY("sign_kernel_cuda", sign_of(x[0])),
    TEST("signbit_kernel_cuda", 1, x[0] < 0 || std::signbit(static_cast<double>(x[0]))),
    TEST("isposinf_kernel_impl", 1, static_cast<double>(x[0]) == std::numeric_limits<double>::infinity()),
    TEST("isneginf_kernel_impl", 1, static_cast<double>(x[0]) == -std::numeric_limits<double>::infinity()),
    BINARY("heaviside_kernel_cuda", step_of(x[0], x[1])),
    BINARY("copysign_kernel_cuda", std::copysign(x[0], x[1])),
    BINARY("atan2_kernel_cuda", std::atan2(x[0], x[1])),
    BINARY("hypot_kernel_cuda", std::hypot(x[0], x[1])),
    BINARY("mse_kernel_cuda", multiply(add(x[0], negate(x[1])), add(x[0], negate(x[1])))),
    OPERATION("addcmul_cuda_kernel", 3, false, "n", D::nothing, false,
              add(x[0], multiply(h.numbers[0], multiply(x[1], x[2])))),
    OPERATION("addcdiv_cuda_kernel", 3, false, "n", D::nothing, false,
              add(x[0], multiply(h.numbers[0], divide(x[1], x[2])))),
    OPERATION("lerp_tensor_kernel", 3, false, "", D::nothing, false,
              add(x[0], multiply(x[2], add(x[1], negate(x[0]))))),
    OPERATION("lerp_scalar_kernel", 2, false, "n", D::nothing, false,
              add(x[0], multiply(h.numbers[0], add(x[1], negate(x[0]))))),
    UNARY("sqrt_kernel_cuda", std::sqrt(static_cast<double>(x[0]))),
    UNARY("rsqrt_kernel_cuda", 1 / std::sqrt(static_cast<double>(x[0]))),
    UNARY("reciprocal_kernel_cuda", 1 / static_cast<double>(x[0])),
    UNARY("exp_kernel_cuda", std::exp(x[0])),
    UNARY("exp2_kernel_cuda", std::exp2(x[0])),
    UNARY("expm1_kernel_cuda", std::expm1(x[0])),
    UNARY("log_kernel_cuda", std::log(x[0])),
    UNARY("log2_kernel_cuda", std::log2(x[0])),
    UNARY("log10_kernel_cuda", std::log10(x[0])),
    UNARY("log1p_kernel_cuda", std::log1p(x[0])),
    UNARY("sin_kernel_cuda", std::sin(x[0])),
    UNARY("cos_kernel_cuda", std::cos(x[0])),
    UNARY("tan_kernel_cuda", std::tan(x[0])),
    UNARY("asin_kernel_cuda", std::asin(x[0])),
    UNARY("acos_kernel_cuda", std::acos(x[0])),
    UNARY("atan_kernel_cuda", std::atan(x[0])),
    UNARY("sinh_kernel_cuda", std::sinh(x[0])),
    UNARY("cosh_kernel_cuda", std::cosh(x[0])),
    UNARY("tanh_kernel_cuda", std::tanh(x[0])),
    UNARY("asinh_kernel_cuda", std::asinh(x[0])),
    UNARY("acosh_kernel_cuda", std::acosh(x[0])),
    UNARY("atanh_kernel_cuda", std::atanh(x[0])),
    UNARY("erf_kernel_cuda", std::erf(x[0])),
    UNARY("ceil_kernel_cuda", std::ceil(x[0])),
    UNARY("floor_kernel_cuda", std::floor(x[0])),
    UNARY("round_kernel_cuda", std::nearbyint(x[0])),
    UNARY("trunc_kernel_cuda", std::trunc(x[0])),
    UNARY("frac_kernel_cuda", x[0] - std::trunc(x[0])),
    UNARY("sigmoid_kernel_cuda", sigmoid(static_cast<double>(x[0]))),
    UNARY("silu_kernel", static_cast<double>(x[0]) * sigmoid(static_cast<double>(x[0]))),
    UNARY("mish_kernel", static_cast<double>(x[0]) * std::tanh(softplus(static_cast<double>(x[0])))),
};

#undef TEST
#undef BINARY
#undef UNARY
#undef OPERATION
#undef GIVES

}  // namespace

const Operation* find_operation(std::string_view name, size_t operands) {
  for (const Operation& operation : kOperations) {
    if (operation.operands == operands && name == operation.name) return &operation;
  }
  return nullptr;
}

std::string_view name_for_booleans(std::string_view name) {
  if (name == "bitwise_not_kernel_cuda") return "logical_not_kernel_cuda";
  return name == "BitwiseOrFunctor" ? "logical_or_kernel_cuda" : name;
}

Element converts_to(std::string_view name, const std::vector<std::string_view>& types) {
  // <from, to>, from PyTorch 2.15 on
  if (name == "converting_copy_kernel_cuda" && types.size() == 2) return element_named(types[1]);
  if (name == "float16_copy_kernel_cuda") return Element::f16;
  if (name == "bfloat16_copy_kernel_cuda") return Element::bf16;
  bool widens = name == "float16tofloat32_copy_kernel_cuda" || name == "bfloat16tofloat32_copy_kernel_cuda";
  return widens ? Element::f32 : Element::none;
}

bool is_copy(const Operation& operation) {
  std::string_view name = operation.name;
  return name == "direct_copy_kernel_cuda" || name == "converting_copy_kernel_cuda";
}

bool limits(const Operation& operation) {
  constexpr std::string_view kNames[] = {"launch_clamp_scalar", "clamp_kernel_impl", "maximum_kernel_cuda",
                                         "minimum_kernel_cuda", "exp_kernel_cuda",   "sigmoid_kernel_cuda"};
  return std::find(std::begin(kNames), std::end(kNames), operation.name) != std::end(kNames);
}

}  // namespace maya
