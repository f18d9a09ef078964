#include "kernels/floats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/norms.h"
#include "maya/memory.h"
#include "maya/values.h"

namespace maya {
namespace {

constexpr size_t kMostElements = 1024;
constexpr size_t kMostInputs = 3;

using Op = FloatOperation;

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double read_real(const char* at, size_t width) {
  return width == 1 ? read<uint8_t>(at) : width == 4 ? read<float>(at) : read<double>(at);
}

void write_real(char* at, size_t width, double value) {
  auto narrow = static_cast<float>(value);
  if (width == 1) *at = value != 0;
  if (width == 4) std::memcpy(at, &narrow, 4);
  if (width == 8) std::memcpy(at, &value, 8);
}

struct Marker {
  const char* name;  // as it stands in mangled names, up to where the type of the numbers follows
  Op operation;
};

// Lambdas name their function, and the types of their arguments at their end.
constexpr Marker kLambdas[] = {
    {"16sqrt_kernel_cuda", Op::root},          {"17rsqrt_kernel_cuda", Op::inverse_root},
    {"22reciprocal_kernel_cuda", Op::inverse}, {"15neg_kernel_cuda", Op::negate},
    {"19minimum_kernel_cuda", Op::minimum},    {"19maximum_kernel_cuda", Op::maximum},
    {"19launch_clamp_scalar", Op::clamp},      {"18masked_fill_kernel", Op::fill_masked},
    {"17where_kernel_impl", Op::choose},       {"22logical_or_kernel_cuda", Op::either},
    {"23logical_and_kernel_cuda", Op::both},   {"23logical_not_kernel_cuda", Op::invert},
};

constexpr Marker kFunctors[] = {
    {"10AbsFunctorI", Op::absolute},         {"15CUDAFunctor_addI", Op::add},
    {"21CUDAFunctorOnSelf_addI", Op::add},   {"10MulFunctorI", Op::multiply},
    {"10DivFunctorI", Op::divide},           {"14CompareFunctorI", Op::order},
    {"21compare_scalar_kernelI", Op::order}, {"16CompareEqFunctorI", Op::equal},
};

// pow_tensor_scalar_kernel_impl's lambdas, in their order.
constexpr Marker kPowers[] = {
    {"E_St5array", Op::square},
    {"E0_St5array", Op::cube},
    {"E1_St5array", Op::inverse_square},
    {"E2_St5array", Op::power},
};

bool logical(Op operation) {
  return operation == Op::either || operation == Op::both || operation == Op::invert;
}

bool gives_bool(Op operation) {
  return operation == Op::order || operation == Op::equal || logical(operation);
}

// Which input is a mask, counted from zero; nobody's where there is none.
size_t mask_of(Op operation) {
  return operation == Op::fill_masked ? 1 : operation == Op::choose ? 0 : kMostInputs;
}

FloatKernel of_width(Op operation, char type) {
  if (type != 'f' && type != 'd') return {};
  return {operation, static_cast<uint8_t>(type == 'f' ? 4 : 8), NumberFor::none};
}

// {lambda(float)}, {lambda(float, bool)}, {lambda(bool, float, float)}.
FloatKernel lambda_kernel(const char* mangled, Op operation) {
  auto has = [mangled](const char* word) { return std::strstr(mangled, word) != nullptr; };
  if (logical(operation)) {
    bool plain = has("EUlbE_") || has("EUlbbE_");
    return plain ? FloatKernel{operation, 1, NumberFor::none} : FloatKernel{};
  }
  bool narrow = has("EUlfE_") || has("EUlffE_") || has("EUlfbE_") || has("EUlbffE_");
  bool wide = has("EUldE_") || has("EUlddE_") || has("EUldbE_") || has("EUlbddE_");
  return of_width(operation, narrow ? 'f' : wide ? 'd' : ' ');
}

FloatKernel power_kernel(const char* mangled) {
  const char* marker = "29pow_tensor_scalar_kernel_implI";
  const char* at = std::strstr(mangled, marker);
  if (!at) return {};
  at += std::strlen(marker);
  if (at[0] != at[1]) return {};
  for (const Marker& power : kPowers) {
    if (!std::strstr(at, power.name)) continue;
    FloatKernel kernel = of_width(power.operation, at[0]);
    if (power.operation == Op::power) kernel.number = NumberFor::second;
    return kernel;
  }
  return {};
}

NumberFor number_in(const char* mangled) {
  if (std::strstr(mangled, "13AUnaryFunctorI")) return NumberFor::first;
  bool second = std::strstr(mangled, "13BUnaryFunctorI") || std::strstr(mangled, "FunctorOnSelf_addI") ||
                std::strstr(mangled, "21compare_scalar_kernelI");
  return second ? NumberFor::second : NumberFor::none;
}

FloatKernel functor_kernel(const char* mangled) {
  for (const Marker& functor : kFunctors) {
    const char* at = std::strstr(mangled, functor.name);
    if (!at) continue;
    char type = at[std::strlen(functor.name)];
    if (functor.operation == Op::multiply && type == 'b') return {Op::both, 1, NumberFor::none};
    FloatKernel kernel = of_width(functor.operation, type);
    kernel.number = number_in(mangled);
    return kernel;
  }
  return {};
}

// The numbers and the choice that a functor holds.
struct Arguments {
  int32_t choice = 0;  // which comparison, which limits
  double number = 0;   // stands for an operand
  double factor = 1;   // of an addition's second operand
  double limits[2] = {};
};

Arguments arguments_of(const FloatKernel& kernel, const char* functor, size_t bytes) {
  Arguments arguments;
  size_t width = kernel.width;
  auto real = [&](size_t at) { return at + width <= bytes ? read_real(functor + at, width) : 0.0; };
  bool with_number = kernel.number != NumberFor::none;
  Op operation = kernel.operation;
  if (operation == Op::add) {
    arguments.factor = real(with_number ? width : 0);
    arguments.number = real(0);
  } else if (operation == Op::power || operation == Op::fill_masked) {
    arguments.number = real(0);
  } else if (with_number) {
    arguments.number = real(width);
  }
  bool chooses = operation == Op::order || operation == Op::equal || operation == Op::clamp;
  if (chooses && bytes >= 4) arguments.choice = read<int32_t>(functor);
  if (operation == Op::clamp) {
    arguments.limits[0] = real(width);
    arguments.limits[1] = real(2 * width);
  }
  return arguments;
}

// at::native's OpType: greater or equal, greater, less or equal, less.
bool ordered(int32_t choice, double a, double b) {
  return choice == 0 ? a >= b : choice == 1 ? a > b : choice == 2 ? a <= b : a < b;
}

// at::native's ClampLimits: a lower one, an upper one, both.
double clamped(const Arguments& with, double a) {
  if (std::isnan(a)) return a;
  if (with.choice != 1) a = std::max(a, with.limits[0]);
  return with.choice != 0 ? std::min(a, with.limits[1]) : a;
}

double binary(Op operation, const Arguments& with, double a, double b) {
  switch (operation) {
    case Op::add:
      return a + with.factor * b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::pow(a, b);
    case Op::minimum:
      return std::isnan(a) || a < b ? a : b;
    case Op::maximum:
      return std::isnan(a) || a > b ? a : b;
    case Op::order:
      return ordered(with.choice, a, b);
    case Op::equal:
      return (a == b) == (with.choice == 0);
    case Op::either:
      return a != 0 || b != 0;
    default:  // both
      return a != 0 && b != 0;
  }
}

double apply(Op operation, const Arguments& with, const double* in) {
  switch (operation) {
    case Op::square:
      return in[0] * in[0];
    case Op::cube:
      return in[0] * in[0] * in[0];
    case Op::inverse_square:
      return 1 / (in[0] * in[0]);
    case Op::root:
      return std::sqrt(in[0]);
    case Op::inverse_root:
      return 1 / std::sqrt(in[0]);
    case Op::inverse:
      return 1 / in[0];
    case Op::negate:
      return -in[0];
    case Op::absolute:
      return std::fabs(in[0]);
    case Op::invert:
      return in[0] == 0;
    case Op::clamp:
      return clamped(with, in[0]);
    case Op::fill_masked:
      return in[1] != 0 ? with.number : in[0];
    case Op::choose:
      return in[0] != 0 ? in[1] : in[2];
    default:
      return binary(operation, with, in[0], in[1]);
  }
}

size_t inputs_of(const FloatKernel& kernel) {
  Op operation = kernel.operation;
  if (operation == Op::choose) return 3;
  if (operation == Op::fill_masked) return 2;
  bool two = operation == Op::add || operation == Op::multiply || operation == Op::divide ||
             operation == Op::minimum || operation == Op::maximum || operation == Op::order ||
             operation == Op::equal || operation == Op::either || operation == Op::both;
  return two && kernel.number == NumberFor::none ? 2 : 1;
}

struct Inputs {
  std::vector<double> values[kMostInputs];
  bool follow_norm = false;
};

// A mask that nobody knows reads as zeros, as it would on the host; numbers must be known.
bool read_inputs(const FloatKernel& kernel, const char* operands, size_t count, Inputs* inputs) {
  for (size_t i = 0; i < inputs_of(kernel); ++i) {
    const char* source = read<const char*>(operands + 8 * (i + 1));
    bool mask = i == mask_of(kernel.operation);
    size_t width = mask ? 1 : kernel.width;
    if (!is_device_address(reinterpret_cast<uintptr_t>(source))) return false;
    if (!mask && !values_known(source, count * width)) return false;
    std::vector<char> bytes(count * width);
    peek(bytes.data(), source, bytes.size());
    for (size_t j = 0; j < count; ++j)
      inputs->values[i].push_back(read_real(bytes.data() + j * width, width));
    inputs->follow_norm |= follows_norm(source);
  }
  return true;
}

}  // namespace

FloatKernel float_kernel(const char* mangled) {
  auto has = [mangled](const char* word) { return std::strstr(mangled, word) != nullptr; };
  bool plain = has("vectorized_elementwise_kernel") ||
               (has("unrolled_elementwise_kernel") && has("TrivialOffsetCalculator"));
  if (!plain || has("LoadWithCast") || has("StoreWithCast")) return {};
  if (FloatKernel power = power_kernel(mangled); power.operation != Op::none) return power;
  for (const Marker& lambda : kLambdas) {
    if (has(lambda.name)) return lambda_kernel(mangled, lambda.operation);
  }
  return functor_kernel(mangled);
}

// (int count, functor, std::array<char*, n> {out, in...}, ...)
FloatResult evaluate(const FloatKernel& kernel, const KernelFacts& facts, const char* image) {
  FloatResult result;
  if (kernel.operation == Op::none || facts.params.size() < 3) return result;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  if (!count || count > kMostElements || facts.params[2].size != 8 * (1 + inputs_of(kernel))) return result;
  const char* operands = image + facts.params[2].offset;
  Inputs inputs;
  if (!read_inputs(kernel, operands, count, &inputs)) return result;
  Arguments with = arguments_of(kernel, image + facts.params[1].offset, facts.params[1].size);
  size_t width = gives_bool(kernel.operation) ? 1 : kernel.width;
  result.target = read<char*>(operands);
  result.bytes.resize(count * width);
  result.follows_norm = inputs.follow_norm;
  for (size_t i = 0; i < count; ++i) {
    double in[kMostInputs] = {};
    for (size_t j = 0; j < inputs_of(kernel); ++j) in[j] = inputs.values[j][i];
    if (kernel.number == NumberFor::second) in[1] = with.number;
    if (kernel.number == NumberFor::first) in[1] = in[0], in[0] = with.number;
    write_real(result.bytes.data() + i * width, width, apply(kernel.operation, with, in));
  }
  return result;
}

void store(const FloatResult& result) {
  if (result.bytes.empty() || !is_device_address(reinterpret_cast<uintptr_t>(result.target))) return;
  poke(result.target, result.bytes.data(), result.bytes.size());
  follow_norm(result.target, result.follows_norm);
}

}  // namespace maya
