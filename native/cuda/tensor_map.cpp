// Tensor maps: 128 opaque bytes that describe a tile of a tensor to the copy engine of a multiprocessor.
//
// The real layout is not public. Ours is deterministic and keeps everything a reader of the capture may want;
// the address comes first, where the recorder finds and masks it as it does any device pointer in a
// parameter.
#include <cstdint>
#include <cstring>

#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr unsigned kMaxRank = 5;

struct TensorMap {
  uint64_t address;
  uint32_t dims[kMaxRank];
  uint32_t strides[kMaxRank - 1];  // in units of 16 bytes
  uint16_t box[kMaxRank];          // im2col: lower corners
  uint16_t upper[kMaxRank];        // im2col: upper corners
  uint8_t element_strides[kMaxRank];
  uint8_t type, rank, interleave, swizzle, promotion, fill, mode;
  uint32_t channels, pixels;
  uint8_t padding[44];
};
static_assert(sizeof(TensorMap) == 128);

enum Mode : uint8_t { kTiled, kIm2col, kIm2colWide };

struct Tensor {
  int type;
  unsigned rank;
  void* address;
  const unsigned long* dims;
  const unsigned long* strides;
  const unsigned* element_strides;
};

bool sound(const void* map, const Tensor& tensor, unsigned least_rank) {
  if (!map || reinterpret_cast<uintptr_t>(map) % 64) return false;
  if (tensor.rank < least_rank || tensor.rank > kMaxRank) return false;
  if (!tensor.address || reinterpret_cast<uintptr_t>(tensor.address) % 16) return false;
  if (!tensor.dims || !tensor.element_strides || (tensor.rank > 1 && !tensor.strides)) return false;
  for (unsigned i = 0; i < tensor.rank; ++i) {
    if (tensor.dims[i] == 0 || tensor.dims[i] > (1ul << 32)) return false;
    if (tensor.element_strides[i] == 0 || tensor.element_strides[i] > 8) return false;
    if (i + 1 < tensor.rank && (tensor.strides[i] % 16 || tensor.strides[i] >= (1ul << 40))) return false;
  }
  return true;
}

TensorMap describe(const Tensor& tensor, int interleave, int swizzle, int promotion, int fill, Mode mode) {
  TensorMap map{};
  map.address = reinterpret_cast<uint64_t>(tensor.address);
  for (unsigned i = 0; i < tensor.rank; ++i) {
    map.dims[i] = static_cast<uint32_t>(tensor.dims[i]);
    map.element_strides[i] = static_cast<uint8_t>(tensor.element_strides[i]);
    if (i + 1 < tensor.rank) map.strides[i] = static_cast<uint32_t>(tensor.strides[i] / 16);
  }
  map.type = static_cast<uint8_t>(tensor.type);
  map.rank = static_cast<uint8_t>(tensor.rank);
  map.interleave = static_cast<uint8_t>(interleave);
  map.swizzle = static_cast<uint8_t>(swizzle);
  map.promotion = static_cast<uint8_t>(promotion);
  map.fill = static_cast<uint8_t>(fill);
  map.mode = mode;
  return map;
}

}  // namespace

extern "C" {

int cuTensorMapEncodeTiled(void* out, int type, unsigned int rank, void* address, const unsigned long* dims,
                           const unsigned long* strides, const unsigned int* box,
                           const unsigned int* element_strides, int interleave, int swizzle, int promotion,
                           int fill) {
  const Tensor tensor{type, rank, address, dims, strides, element_strides};
  if (!sound(out, tensor, 1) || !box) return kInvalidValue;
  TensorMap map = describe(tensor, interleave, swizzle, promotion, fill, kTiled);
  for (unsigned i = 0; i < rank; ++i) {
    if (box[i] == 0 || box[i] > 256) return kInvalidValue;
    map.box[i] = static_cast<uint16_t>(box[i]);
  }
  memcpy(out, &map, sizeof map);
  return kSuccess;
}

int cuTensorMapEncodeIm2col(void* out, int type, unsigned int rank, void* address, const unsigned long* dims,
                            const unsigned long* strides, const int* lower, const int* upper,
                            unsigned int channels, unsigned int pixels, const unsigned int* element_strides,
                            int interleave, int swizzle, int promotion, int fill) {
  const Tensor tensor{type, rank, address, dims, strides, element_strides};
  if (!sound(out, tensor, 3) || !lower || !upper || channels > 256 || pixels > 1024) return kInvalidValue;
  TensorMap map = describe(tensor, interleave, swizzle, promotion, fill, kIm2col);
  for (unsigned i = 0; i + 2 < rank; ++i) {
    map.box[i] = static_cast<uint16_t>(lower[i]);
    map.upper[i] = static_cast<uint16_t>(upper[i]);
  }
  map.channels = channels;
  map.pixels = pixels;
  memcpy(out, &map, sizeof map);
  return kSuccess;
}

int cuTensorMapEncodeIm2colWide(void* out, int type, unsigned int rank, void* address,
                                const unsigned long* dims, const unsigned long* strides, int lower, int upper,
                                unsigned int channels, unsigned int pixels,
                                const unsigned int* element_strides, int interleave, int, int swizzle,
                                int promotion, int fill) {
  const Tensor tensor{type, rank, address, dims, strides, element_strides};
  if (!sound(out, tensor, 3) || channels > 256 || pixels > 1024) return kInvalidValue;
  TensorMap map = describe(tensor, interleave, swizzle, promotion, fill, kIm2colWide);
  map.box[0] = static_cast<uint16_t>(lower);
  map.upper[0] = static_cast<uint16_t>(upper);
  map.channels = channels;
  map.pixels = pixels;
  memcpy(out, &map, sizeof map);
  return kSuccess;
}

int cuTensorMapReplaceAddress(void* map, void* address) {
  if (!map || !address || reinterpret_cast<uintptr_t>(address) % 16) return kInvalidValue;
  memcpy(map, &address, sizeof address);
  return kSuccess;
}

}  // extern "C"
