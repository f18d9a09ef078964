// Memsets of one, two and four byte elements.
#include "memsets.h"

#include "maya/memory.h"
#include "maya/values.h"

using namespace maya;
using namespace maya::driver;

namespace maya::driver {

int memset_2d_onto(const MemsetNode& memset, Stream& stream) {
  Allocation found;
  if (!find_allocation(pointer(memset.dst), &found) || memset.dst % memset.element_bytes)
    return kInvalidValue;
  const bool dense = memset.height <= 1 || memset.pitch == memset.width * memset.element_bytes;
  if (dense) {
    fill(pointer(memset.dst), memset.value, memset.element_bytes, memset.width * memset.height, stream);
    return kSuccess;
  }
  if (memset.pitch < memset.width * memset.element_bytes) return kInvalidValue;
  for (size_t row = 0; row < memset.height; ++row) {
    fill(pointer(memset.dst + row * memset.pitch), memset.value, memset.element_bytes, memset.width, stream);
  }
  return kSuccess;
}

int memset_2d_checked(const MemsetNode& memset, void* handle) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (memset.width == 0 || memset.height == 0) return kSuccess;
  Call call;
  return memset_2d_onto(memset, *stream);
}

int memset_checked(DevicePtr dst, uint32_t value, size_t element, size_t count, void* stream) {
  return memset_2d_checked({dst, 0, value, static_cast<unsigned>(element), count, 1}, stream);
}

}  // namespace maya::driver

extern "C" {

int cuMemsetD8_v2(unsigned long long dst, unsigned char value, size_t count) {
  return memset_checked(dst, value, 1, count, nullptr);
}

int cuMemsetD16_v2(unsigned long long dst, unsigned short value, size_t count) {
  return memset_checked(dst, value, 2, count, nullptr);
}

int cuMemsetD32_v2(unsigned long long dst, unsigned int value, size_t count) {
  return memset_checked(dst, value, 4, count, nullptr);
}

int cuMemsetD8Async(unsigned long long dst, unsigned char value, size_t count, void* stream) {
  return memset_checked(dst, value, 1, count, stream);
}

int cuMemsetD16Async(unsigned long long dst, unsigned short value, size_t count, void* stream) {
  return memset_checked(dst, value, 2, count, stream);
}

int cuMemsetD32Async(unsigned long long dst, unsigned int value, size_t count, void* stream) {
  return memset_checked(dst, value, 4, count, stream);
}

int cuMemsetD2D8_v2(unsigned long long dst, size_t pitch, unsigned char value, size_t width, size_t height) {
  return memset_2d_checked({dst, pitch, value, 1, width, height}, nullptr);
}

int cuMemsetD2D16_v2(unsigned long long dst, size_t pitch, unsigned short value, size_t width,
                     size_t height) {
  return memset_2d_checked({dst, pitch, value, 2, width, height}, nullptr);
}

int cuMemsetD2D32_v2(unsigned long long dst, size_t pitch, unsigned int value, size_t width, size_t height) {
  return memset_2d_checked({dst, pitch, value, 4, width, height}, nullptr);
}

int cuMemsetD2D8Async(unsigned long long dst, size_t pitch, unsigned char value, size_t width, size_t height,
                      void* stream) {
  return memset_2d_checked({dst, pitch, value, 1, width, height}, stream);
}

int cuMemsetD2D16Async(unsigned long long dst, size_t pitch, unsigned short value, size_t width,
                       size_t height, void* stream) {
  return memset_2d_checked({dst, pitch, value, 2, width, height}, stream);
}

int cuMemsetD2D32Async(unsigned long long dst, size_t pitch, unsigned int value, size_t width, size_t height,
                       void* stream) {
  return memset_2d_checked({dst, pitch, value, 4, width, height}, stream);
}

}  // extern "C"
