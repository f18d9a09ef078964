#include "arithmetic.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "small_float.h"

namespace maya {
namespace {

// A type's elements in memory (Stored) and in computation (Value).
template <typename T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored bits) { return bits; }
  static Stored store(Value value) { return value; }
};

template <typename Bits, const FloatFormat& format>
struct Narrow {
  using Stored = Bits;
  using Value = float;
  static Value load(Stored bits) { return decode_float(bits, format); }
  static Stored store(Value value) { return static_cast<Stored>(encode_float(value, format)); }
};

// Signed overflow is undefined in C++ and wraps on the device.
template <typename V, typename Function>
V wrapping(V a, V b, Function function) {
  if constexpr (std::is_integral<V>::value) {
    using U = std::make_unsigned_t<V>;
    return static_cast<V>(
        function(static_cast<uint64_t>(static_cast<U>(a)), static_cast<uint64_t>(static_cast<U>(b))));
  } else {
    return function(a, b);
  }
}

template <typename V>
V combine(int op, V a, V b) {
  switch (op) {
    case ReduceOp::prod:
      return wrapping(a, b, [](auto x, auto y) { return x * y; });
    case ReduceOp::max:
      return std::max(a, b);
    case ReduceOp::min:
      return std::min(a, b);
    default:
      return wrapping(a, b, [](auto x, auto y) { return x + y; });
  }
}

template <typename Type>
typename Type::Value element(const char* from, size_t index) {
  typename Type::Stored bits;
  std::memcpy(&bits, from + index * sizeof bits, sizeof bits);
  return Type::load(bits);
}

template <typename Type>
void put(char* to, size_t index, typename Type::Value value) {
  typename Type::Stored bits = Type::store(value);
  std::memcpy(to + index * sizeof bits, &bits, sizeof bits);
}

// Calls function(Type{}) with the traits of an NCCL data type.
template <typename Function>
void with_type(int type, Function function) {
  switch (type) {
    case DataType::int8:
      return function(Plain<int8_t>{});
    case DataType::uint8:
      return function(Plain<uint8_t>{});
    case DataType::int32:
      return function(Plain<int32_t>{});
    case DataType::uint32:
      return function(Plain<uint32_t>{});
    case DataType::int64:
      return function(Plain<int64_t>{});
    case DataType::uint64:
      return function(Plain<uint64_t>{});
    case DataType::float16:
      return function(Narrow<uint16_t, kFloat16>{});
    case DataType::float32:
      return function(Plain<float>{});
    case DataType::float64:
      return function(Plain<double>{});
    case DataType::bfloat16:
      return function(Narrow<uint16_t, kBfloat16>{});
    case DataType::float8e4m3:
      return function(Narrow<uint8_t, kFloat8e4m3>{});
    case DataType::float8e5m2:
      return function(Narrow<uint8_t, kFloat8e5m2>{});
    default:
      return;
  }
}

}  // namespace

size_t type_bytes(int type) {
  size_t bytes = 0;
  with_type(type, [&](auto traits) { bytes = sizeof(typename decltype(traits)::Stored); });
  return bytes;
}

void reduce(int type, int op, const char* const* inputs, size_t input_count, size_t count, char* result) {
  with_type(type, [&](auto traits) {
    using Type = decltype(traits);
    for (size_t i = 0; i < count; ++i) {
      auto total = element<Type>(inputs[0], i);
      for (size_t k = 1; k < input_count; ++k) total = combine(op, total, element<Type>(inputs[k], i));
      if (op == ReduceOp::avg) total /= static_cast<typename Type::Value>(input_count);
      put<Type>(result, i, total);
    }
  });
}

void scale(int type, char* elements, size_t count, const char* scalar) {
  with_type(type, [&](auto traits) {
    using Type = decltype(traits);
    auto factor = element<Type>(scalar, 0);
    for (size_t i = 0; i < count; ++i) {
      put<Type>(elements, i, combine(ReduceOp::prod, element<Type>(elements, i), factor));
    }
  });
}

}  // namespace maya
