#include "kernels/trivial.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "exchange/small_float.h"
#include "kernels/norms.h"
#include "kernels/recipe.h"
#include "kernels/reductions.h"
#include "kernels/routing.h"
#include "kernels/strided.h"
#include "maya/memory.h"
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

// Reads as many int64 as `values` holds; false where any is unknown.
bool known_integers(const char* address, std::vector<int64_t>* values) {
  size_t bytes = values->size() * 8;
  if (bytes > kSmallTransfer || !values_known(address, bytes)) return false;
  peek(values->data(), address, bytes);
  return true;
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
  follow_norm(target, follows_norm(source));
}

// (int count, CUDAFunctorOnSelf_add<long> {other, alpha}, {out, a}) or (..., CUDAFunctor_add<long> {alpha},
// {out, a, b})
void perform_addition(const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 3) return;
  bool with_number = facts.params[1].size == 16 && facts.params[2].size == 16;
  bool with_tensor = facts.params[1].size == 8 && facts.params[2].size == 24;
  if (!with_number && !with_tensor) return;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  const char* functor = image + facts.params[1].offset;
  const char* operands = image + facts.params[2].offset;
  std::vector<int64_t> a(count), b(count, with_number ? read<int64_t>(functor) : 0);
  if (!known_integers(read<char*>(operands + 8), &a)) return;
  if (with_tensor && !known_integers(read<char*>(operands + 16), &b)) return;
  int64_t alpha = read<int64_t>(functor + (with_number ? 8 : 0));
  for (size_t i = 0; i < count; ++i) a[i] += alpha * b[i];
  poke(read<char*>(operands), a.data(), count * 8);
}

// (int count, CompareFunctor<long> {operation}, std::array<char*, 3> {out, a, b}, ...)
void perform_comparison(const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 3 || facts.params[1].size != 4 || facts.params[2].size != 24) return;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  int32_t operation = read<int32_t>(image + facts.params[1].offset);
  const char* operands = image + facts.params[2].offset;
  std::vector<int64_t> a(count), b(count);
  if (!known_integers(read<char*>(operands + 8), &a)) return;
  if (!known_integers(read<char*>(operands + 16), &b)) return;
  std::vector<char> result(count);
  for (size_t i = 0; i < count; ++i) {
    // The order of at::native's OpType: greater or equal, greater, less or equal, less.
    const bool answers[] = {a[i] >= b[i], a[i] > b[i], a[i] <= b[i], a[i] < b[i]};
    if (operation < 0 || operation > 3) return;
    result[i] = answers[operation];
  }
  poke(read<char*>(operands), result.data(), count);
}

// (int count, {int operation, int64 scalar}, char* [output, input]): at::native's OpType as above, or its
// EqOpType, equal and not equal.
void perform_scalar_comparison(const char* mangled, const KernelFacts& facts, const char* image) {
  if (facts.params.size() < 3 || facts.params[1].size < 16 || facts.params[2].size != 16) return;
  size_t count = static_cast<size_t>(read<int32_t>(image));
  int32_t operation = read<int32_t>(image + facts.params[1].offset);
  int64_t scalar = read<int64_t>(image + facts.params[1].offset + 8);
  const char* operands = image + facts.params[2].offset;
  std::vector<int64_t> a(count);
  if (!known_integers(read<char*>(operands + 8), &a)) return;
  bool equality = std::strstr(mangled, "CompareEqFunctorIl") != nullptr;
  if (operation < 0 || operation > (equality ? 1 : 3)) return;
  std::vector<char> result(count);
  for (size_t i = 0; i < count; ++i) {
    const bool ordered[] = {a[i] >= scalar, a[i] > scalar, a[i] <= scalar, a[i] < scalar};
    const bool equal[] = {a[i] == scalar, a[i] != scalar};
    result[i] = equality ? equal[operation] : ordered[operation];
  }
  poke(read<char*>(operands), result.data(), count);
}

// The element's size stands in the kernel's name: OpaqueType<N>.
size_t element_bytes(const char* mangled) {
  const char* marker = "OpaqueTypeILj";
  const char* at = std::strstr(mangled, marker);
  return at ? std::strtoul(at + std::strlen(marker), nullptr, 10) : 0;
}

// (T* output, CatArrInputTensorMetadata {input[128], offset[128], dimSize[128], nElements[128], ...}, ...)
void perform_concatenation(const char* mangled, const KernelFacts& facts, const char* image,
                           unsigned inputs) {
  constexpr size_t kMost = 128;
  size_t width = element_bytes(mangled);
  if (!width || facts.params.size() != 5 || facts.params[1].size < kMost * 20 || inputs > kMost) return;
  char* output = read<char*>(image);
  const char* table = image + facts.params[1].offset;
  bool norms = false;
  for (size_t i = 0; i < inputs; ++i) {
    char* source = read<char*>(table + i * 8);
    size_t offset = read<uint32_t>(table + kMost * 8 + i * 4) * width;
    size_t bytes = read<uint32_t>(table + kMost * 16 + i * 4) * width;
    if (bytes > kSmallTransfer || !values_known(source, bytes)) return;
    std::vector<char> part(bytes);
    peek(part.data(), source, bytes);
    poke(output + offset, part.data(), bytes);
    norms |= follows_norm(source);
  }
  follow_norm(output, norms);
}

}  // namespace

Trivial trivial_kind(const char* mangled) {
  auto has = [mangled](const char* word) { return std::strstr(mangled, word) != nullptr; };
  if (has("vectorized_elementwise_kernel") || has("unrolled_elementwise_kernel")) {
    if (has("FillFunctor")) return Trivial::fill;
    if (has("CUDAFunctorOnSelf_addIl") || has("CUDAFunctor_addIl")) return Trivial::add;
    if (has("CompareFunctorIl") && !has("WithCast")) return Trivial::compare;
    bool with_scalar =
        has("compare_scalar_kernelIl") || (has("AUnaryFunctorIllb") && has("CompareEqFunctorIl"));
    if (with_scalar && !has("WithCast")) return Trivial::compare_scalar;
    bool casting = has("LoadWithCast") && has("TrivialOffsetCalculator");
    return casting && has("direct_copy_kernel_cuda") ? Trivial::cast_copy : Trivial::no;
  }
  if (has("13reduce_kernel")) return is_reduction(mangled) ? Trivial::reduction : Trivial::no;
  if (has("14lpnorm_cleanupI")) return Trivial::norms_of_list;
  if (has("gpu_kernel_impl_nocast") && has("23direct_copy_kernel_cuda")) return Trivial::strided_copy;
  if (has("6sbtopk10gatherTopK")) return Trivial::route;
  if (has("kernelHistogram1DI")) return Trivial::histogram;
  // Of cub itself, or since CUDA 13 of cub::detail::reduce.
  if (has("18DeviceReduceKernelI")) return has("NonZeroOp") ? Trivial::begin_nonzero : Trivial::no;
  if (has("28DeviceReduceSingleTileKernelI")) return Trivial::count_nonzero;
  if (has("DeviceSelectSweepKernel") && has("NonZeroOp")) return Trivial::list_nonzero;
  // Template arguments: element type, index type, one dimension, at most 128 inputs.
  bool flat_cat = has("CatArrayBatchedCopy_contig") || has("CatArrayBatchedCopy_alignedK_contig");
  return flat_cat && has("EjLi1ELi128E") ? Trivial::concatenate : Trivial::no;
}

void perform(Trivial kind, const char* mangled, const KernelFacts& facts, const char* image,
             const unsigned grid[3]) {
  switch (kind) {
    case Trivial::no:
      return;
    case Trivial::fill:
      return perform_fill(facts, image);
    case Trivial::cast_copy:
      return perform_cast(facts, image);
    case Trivial::add:
      return perform_addition(facts, image);
    case Trivial::compare:
      return perform_comparison(facts, image);
    case Trivial::compare_scalar:
      return perform_scalar_comparison(mangled, facts, image);
    case Trivial::concatenate:
      return perform_concatenation(mangled, facts, image, grid[1]);
    case Trivial::strided_copy:
      return perform_strided_copy(mangled, facts, image);
    case Trivial::route:
      return observe_router(facts, image);
    case Trivial::histogram:
      return answer_histogram(mangled, facts, image);
    case Trivial::begin_nonzero:
      return begin_nonzero_count(mangled, image);
    case Trivial::count_nonzero:
      return answer_nonzero_count(mangled, facts, image);
    case Trivial::list_nonzero:
      return answer_nonzero_positions(facts, image);
    case Trivial::norms_of_list:
      return answer_norms_of_list(mangled, facts, image, grid[0]);
    case Trivial::reduction:
      return perform_reduction(mangled, facts, image);
  }
}

}  // namespace maya
