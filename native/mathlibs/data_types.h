// cudaDataType: the numbers that every mathematical library uses for element types.
#pragma once

#include <cstdint>

namespace maya::mathlibs {

enum DataType : int {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kR8I = 3,
  kC32F = 4,
  kC64F = 5,
  kC16F = 6,
  kR8U = 8,
  kR32I = 10,
  kR16BF = 14,
  kC16BF = 15,
  kR4I = 16,
  kR4U = 18,
  kR16I = 20,
  kR16U = 22,
  kR64I = 24,
  kR64U = 26,
  kR8F_E4M3 = 28,
  kR8F_E5M2 = 29,
  kR8F_UE8M0 = 30,
  kR6F_E2M3 = 31,
  kR6F_E3M2 = 32,
  kR4F_E2M1 = 33,
};

// Bits of one element; 32 for a number this table does not know, so that no size comes out as zero.
inline int64_t element_bits(int type) {
  switch (type) {
    case kC64F:
      return 128;
    case kR64F:
    case kC32F:
    case kR64I:
    case kR64U:
      return 64;
    case kR16F:
    case kR16BF:
    case kR16I:
    case kR16U:
      return 16;
    case kR8I:
    case kR8U:
    case kR8F_E4M3:
    case kR8F_E5M2:
    case kR8F_UE8M0:
    case kR6F_E2M3:  // stored in a byte each
    case kR6F_E3M2:
      return 8;
    case kR4I:
    case kR4U:
    case kR4F_E2M1:
      return 4;
    default:
      return 32;
  }
}

inline int64_t element_bytes(int type) {
  return (element_bits(type) + 7) / 8;
}

inline bool is_complex(int type) {
  return type == kC32F || type == kC64F || type == kC16F || type == kC16BF;
}

inline bool is_fp8(int type) {
  return type == kR8F_E4M3 || type == kR8F_E5M2;
}

}  // namespace maya::mathlibs
