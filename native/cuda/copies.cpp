// Linear copies. Strided ones stand in copies_strided.cpp.
#include "copies.h"

#include "maya/graph.h"
#include "maya/memory.h"
#include "maya/values.h"

using namespace maya;
using namespace maya::driver;

namespace maya::driver {
namespace {

bool fits(const void* address, Side side) {
  if (side == Side::any) return true;
  Allocation found;
  if (side == Side::device) return find_allocation(address, &found);
  return !is_device_address(reinterpret_cast<uintptr_t>(address));
}

}  // namespace

int copy_checked(void* dst, Side dst_side, const void* src, Side src_side, size_t bytes, void* handle,
                 bool blocking) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (bytes == 0) return kSuccess;
  if (!dst || !src || !fits(dst, dst_side) || !fits(src, src_side)) return kInvalidValue;
  if (blocking && capture_forbids_unsafe_calls()) return kStreamCaptureImplicit;
  Call call;
  copy(dst, src, bytes, *stream, blocking);
  return kSuccess;
}

}  // namespace maya::driver

extern "C" {

int cuMemcpy(unsigned long long dst, unsigned long long src, size_t bytes) {
  return copy_checked(pointer(dst), Side::any, pointer(src), Side::any, bytes, nullptr, true);
}

int cuMemcpyAsync(unsigned long long dst, unsigned long long src, size_t bytes, void* stream) {
  return copy_checked(pointer(dst), Side::any, pointer(src), Side::any, bytes, stream, false);
}

int cuMemcpyHtoD_v2(unsigned long long dst, const void* src, size_t bytes) {
  return copy_checked(pointer(dst), Side::device, src, Side::any, bytes, nullptr, true);
}

int cuMemcpyHtoDAsync_v2(unsigned long long dst, const void* src, size_t bytes, void* stream) {
  return copy_checked(pointer(dst), Side::device, src, Side::any, bytes, stream, false);
}

int cuMemcpyDtoH_v2(void* dst, unsigned long long src, size_t bytes) {
  return copy_checked(dst, Side::any, pointer(src), Side::device, bytes, nullptr, true);
}

int cuMemcpyDtoHAsync_v2(void* dst, unsigned long long src, size_t bytes, void* stream) {
  return copy_checked(dst, Side::any, pointer(src), Side::device, bytes, stream, false);
}

// Device to device does not hold the host up, even in its synchronous form.
int cuMemcpyDtoD_v2(unsigned long long dst, unsigned long long src, size_t bytes) {
  return copy_checked(pointer(dst), Side::device, pointer(src), Side::device, bytes, nullptr, false);
}

int cuMemcpyDtoDAsync_v2(unsigned long long dst, unsigned long long src, size_t bytes, void* stream) {
  return copy_checked(pointer(dst), Side::device, pointer(src), Side::device, bytes, stream, false);
}

int cuMemcpyPeerAsync(unsigned long long dst, void* dst_context, unsigned long long src, void* src_context,
                      size_t bytes, void* stream) {
  if (int status = require_context()) return status;
  if (!find_context(dst_context) || !find_context(src_context)) return kInvalidContext;
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, stream);
}

int cuMemcpyPeer(unsigned long long dst, void* dst_context, unsigned long long src, void* src_context,
                 size_t bytes) {
  return cuMemcpyPeerAsync(dst, dst_context, src, src_context, bytes, nullptr);
}

int cuMemcpyBatchAsync(unsigned long long* dsts, unsigned long long* srcs, size_t* sizes, size_t count, void*,
                       size_t*, size_t, size_t* failed, void* stream) {
  if (!dsts || !srcs || !sizes || count == 0) return kInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (int status = cuMemcpyAsync(dsts[i], srcs[i], sizes[i], stream)) {
      if (failed) *failed = i;
      return status;
    }
  }
  return kSuccess;
}

int cuMemcpyBatchAsync_v2(unsigned long long* dsts, unsigned long long* srcs, size_t* sizes, size_t count,
                          void* attributes, size_t* indices, size_t attribute_count, void* stream) {
  return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, indices, attribute_count, nullptr, stream);
}

int cuMemcpyWithAttributesAsync(unsigned long long dst, unsigned long long src, size_t bytes, void*,
                                void* stream) {
  return cuMemcpyAsync(dst, src, bytes, stream);
}

}  // extern "C"
