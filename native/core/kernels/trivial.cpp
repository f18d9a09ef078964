#include "kernels/trivial.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "exchange/small_float.h"
#include "maya/values.h"

namespace maya {
namespace {

// c10::ScalarType as it stands in the casting loaders' parameters.
enum ScalarType : signed char {
  kByte = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kHalf = 5,
  kFloat = 6,
  kDouble = 7,
  kBool = 11,
  kBFloat16 = 15,
};

struct Loader {
  signed char type;
  uint32_t bytes;
};

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
void write(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

uint16_t narrow(double value, const FloatFormat& format) {
  return static_cast<uint16_t>(encode_float(static_cast<float>(value), format));
}

bool load(signed char type, const char* at, double* value) {
  switch (type) {
    case kBool:
    case kByte:
      return *value = read<uint8_t>(at), true;
    case kChar:
      return *value = read<int8_t>(at), true;
    case kShort:
      return *value = read<int16_t>(at), true;
    case kInt:
      return *value = read<int32_t>(at), true;
    case kLong:
      return *value = static_cast<double>(read<int64_t>(at)), true;
    case kHalf:
      return *value = decode_float(read<uint16_t>(at), kFloat16), true;
    case kBFloat16:
      return *value = decode_float(read<uint16_t>(at), kBfloat16), true;
    case kFloat:
      return *value = read<float>(at), true;
    case kDouble:
      return *value = read<double>(at), true;
    default:
      return false;
  }
}

bool store(signed char type, char* at, double value) {
  switch (type) {
    case kBool:
      return write<uint8_t>(at, value != 0), true;
    case kByte:
      return write(at, static_cast<uint8_t>(static_cast<int64_t>(value))), true;
    case kChar:
      return write(at, static_cast<int8_t>(value)), true;
    case kShort:
      return write(at, static_cast<int16_t>(value)), true;
    case kInt:
      return write(at, static_cast<int32_t>(value)), true;
    case kLong:
      return write(at, static_cast<int64_t>(value)), true;
    case kHalf:
      return write(at, narrow(value, kFloat16)), true;
    case kBFloat16:
      return write(at, narrow(value, kBfloat16)), true;
    case kFloat:
      return write(at, static_cast<float>(value)), true;
    case kDouble:
      return write(at, value), true;
    default:
      return false;
  }
}

// (int count, FillFunctor<T> value, std::array<char*, 1> data, ...)
void perform_fill(const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 3 || facts.params[0].size != 4) return;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  size_t width = facts.params[1].size;
  if (width > 16 || count * width > kSmallTransfer) return;
  char* target = read<char*>(image + facts.params[2].offset);
  std::vector<char> bytes(count * width);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(bytes.data() + i * width, image + facts.params[1].offset, width);
  }
  poke(target, bytes.data(), bytes.size());
}

// (int count, functor, std::array<char*, 2> {out, in}, TrivialOffsetCalculator x 2, LoadWithCast,
// StoreWithCast)
void perform_cast(const KernelFacts& facts, const char* image) {
  if (facts.params.size() != 7 || facts.params[2].size != 16) return;
  if (facts.params[5].size != sizeof(Loader) || facts.params[6].size != sizeof(Loader)) return;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  char* target = read<char*>(image + facts.params[2].offset);
  char* source = read<char*>(image + facts.params[2].offset + 8);
  Loader from = read<Loader>(image + facts.params[5].offset);
  Loader to = read<Loader>(image + facts.params[6].offset);
  if (from.bytes > 8 || to.bytes > 8 || count * 8 > kSmallTransfer) return;
  if (!values_known(source, count * from.bytes)) return;
  std::vector<char> in(count * from.bytes), out(count * to.bytes);
  peek(in.data(), source, in.size());
  for (size_t i = 0; i < count; ++i) {
    double value;
    if (!load(from.type, in.data() + i * from.bytes, &value)) return;
    if (!store(to.type, out.data() + i * to.bytes, value)) return;
  }
  poke(target, out.data(), out.size());
}

}  // namespace

Trivial trivial_kind(const char* mangled) {
  if (!std::strstr(mangled, "elementwise_kernel")) return Trivial::no;
  bool flat = std::strstr(mangled, "vectorized_elementwise_kernel") ||
              std::strstr(mangled, "unrolled_elementwise_kernel");
  if (flat && std::strstr(mangled, "FillFunctor")) return Trivial::fill;
  bool casting = std::strstr(mangled, "LoadWithCast") && std::strstr(mangled, "TrivialOffsetCalculator");
  if (casting && std::strstr(mangled, "direct_copy_kernel_cuda")) return Trivial::cast_copy;
  return Trivial::no;
}

void perform(Trivial kind, const KernelFacts& facts, const char* image) {
  if (kind == Trivial::fill) perform_fill(facts, image);
  if (kind == Trivial::cast_copy) perform_cast(facts, image);
}

}  // namespace maya
