// Copies, memsets and allocations on the calling thread's own default stream.
#include "copies.h"
#include "memsets.h"
#include "per_thread.h"

using namespace maya::driver;

namespace {

int copy_now(void* dst, Side dst_side, const void* src, Side src_side, size_t bytes) {
  return copy_checked(dst, dst_side, src, src_side, bytes, per_thread_stream(), true);
}

}  // namespace

extern "C" {

int cuMemAllocAsync_ptsz(unsigned long long* address, size_t bytes, void* stream) {
  return cuMemAllocAsync(address, bytes, own(stream));
}

int cuMemAllocFromPoolAsync_ptsz(unsigned long long* address, size_t bytes, void* pool, void* stream) {
  return cuMemAllocFromPoolAsync(address, bytes, pool, own(stream));
}

int cuMemFreeAsync_ptsz(unsigned long long address, void* stream) {
  return cuMemFreeAsync(address, own(stream));
}

int cuMemPrefetchAsync_ptsz(unsigned long long address, size_t count, int device, void* stream) {
  return cuMemPrefetchAsync(address, count, device, own(stream));
}

int cuMemPrefetchAsync_v2_ptsz(unsigned long long address, size_t count, maya_abi_CUmemLocation location,
                               unsigned int flags, void* stream) {
  return cuMemPrefetchAsync_v2(address, count, location, flags, own(stream));
}

int cuMemcpy2DAsync_v2_ptsz(const void* copy, void* stream) {
  return cuMemcpy2DAsync_v2(copy, own(stream));
}

int cuMemcpy3DAsync_v2_ptsz(const void* copy, void* stream) {
  return cuMemcpy3DAsync_v2(copy, own(stream));
}

int cuMemcpy3DPeerAsync_ptsz(const void* copy, void* stream) {
  return cuMemcpy3DPeerAsync(copy, own(stream));
}

int cuMemcpyAsync_ptsz(unsigned long long dst, unsigned long long src, size_t bytes, void* stream) {
  return cuMemcpyAsync(dst, src, bytes, own(stream));
}

int cuMemcpyBatchAsync_ptsz(unsigned long long* dsts, unsigned long long* srcs, size_t* sizes, size_t count,
                            void* attributes, size_t* indices, size_t attribute_count, size_t* failed,
                            void* stream) {
  return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, indices, attribute_count, failed,
                            own(stream));
}

int cuMemcpyBatchAsync_v2_ptsz(unsigned long long* dsts, unsigned long long* srcs, size_t* sizes,
                               size_t count, void* attributes, size_t* indices, size_t attribute_count,
                               void* stream) {
  return cuMemcpyBatchAsync_v2(dsts, srcs, sizes, count, attributes, indices, attribute_count, own(stream));
}

int cuMemcpyDtoDAsync_v2_ptsz(unsigned long long dst, unsigned long long src, size_t bytes, void* stream) {
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, own(stream));
}

int cuMemcpyDtoHAsync_v2_ptsz(void* dst, unsigned long long src, size_t bytes, void* stream) {
  return cuMemcpyDtoHAsync_v2(dst, src, bytes, own(stream));
}

int cuMemcpyHtoDAsync_v2_ptsz(unsigned long long dst, const void* src, size_t bytes, void* stream) {
  return cuMemcpyHtoDAsync_v2(dst, src, bytes, own(stream));
}

int cuMemcpyPeerAsync_ptsz(unsigned long long dst, void* dst_context, unsigned long long src,
                           void* src_context, size_t bytes, void* stream) {
  return cuMemcpyPeerAsync(dst, dst_context, src, src_context, bytes, own(stream));
}

int cuMemcpyWithAttributesAsync_ptsz(unsigned long long dst, unsigned long long src, size_t size,
                                     void* attribute, void* stream) {
  return cuMemcpyWithAttributesAsync(dst, src, size, attribute, own(stream));
}

int cuMemsetD16Async_ptsz(unsigned long long dst, unsigned short value, size_t count, void* stream) {
  return cuMemsetD16Async(dst, value, count, own(stream));
}

int cuMemsetD2D16Async_ptsz(unsigned long long dst, size_t pitch, unsigned short value, size_t width,
                            size_t height, void* stream) {
  return cuMemsetD2D16Async(dst, pitch, value, width, height, own(stream));
}

int cuMemsetD2D32Async_ptsz(unsigned long long dst, size_t pitch, unsigned int value, size_t width,
                            size_t height, void* stream) {
  return cuMemsetD2D32Async(dst, pitch, value, width, height, own(stream));
}

int cuMemsetD2D8Async_ptsz(unsigned long long dst, size_t pitch, unsigned char value, size_t width,
                           size_t height, void* stream) {
  return cuMemsetD2D8Async(dst, pitch, value, width, height, own(stream));
}

int cuMemsetD32Async_ptsz(unsigned long long dst, unsigned int value, size_t count, void* stream) {
  return cuMemsetD32Async(dst, value, count, own(stream));
}

int cuMemsetD8Async_ptsz(unsigned long long dst, unsigned char value, size_t count, void* stream) {
  return cuMemsetD8Async(dst, value, count, own(stream));
}

int cuMemcpy_ptds(unsigned long long dst, unsigned long long src, size_t bytes) {
  return copy_now(pointer(dst), Side::any, pointer(src), Side::any, bytes);
}

int cuMemcpyHtoD_v2_ptds(unsigned long long dst, const void* src, size_t bytes) {
  return copy_now(pointer(dst), Side::device, src, Side::any, bytes);
}

int cuMemcpyDtoH_v2_ptds(void* dst, unsigned long long src, size_t bytes) {
  return copy_now(dst, Side::any, pointer(src), Side::device, bytes);
}

int cuMemcpyDtoD_v2_ptds(unsigned long long dst, unsigned long long src, size_t bytes) {
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, per_thread_stream());
}

int cuMemcpyPeer_ptds(unsigned long long dst, void* dst_context, unsigned long long src, void* src_context,
                      size_t bytes) {
  return cuMemcpyPeerAsync(dst, dst_context, src, src_context, bytes, per_thread_stream());
}

int cuMemcpy2D_v2_ptds(const void* copy) {
  return copy_2d_checked(static_cast<const Copy2d*>(copy), per_thread_stream(), true);
}

int cuMemcpy2DUnaligned_v2_ptds(const void* copy) {
  return cuMemcpy2D_v2_ptds(copy);
}

int cuMemcpy3D_v2_ptds(const void* copy) {
  return copy_3d_checked(static_cast<const Copy3d*>(copy), per_thread_stream(), true);
}

int cuMemcpy3DPeer_ptds(const void* copy) {
  return cuMemcpy3D_v2_ptds(copy);
}

int cuMemsetD8_v2_ptds(unsigned long long dst, unsigned char value, size_t count) {
  return memset_checked(dst, value, 1, count, per_thread_stream());
}

int cuMemsetD16_v2_ptds(unsigned long long dst, unsigned short value, size_t count) {
  return memset_checked(dst, value, 2, count, per_thread_stream());
}

int cuMemsetD32_v2_ptds(unsigned long long dst, unsigned int value, size_t count) {
  return memset_checked(dst, value, 4, count, per_thread_stream());
}

int cuMemsetD2D8_v2_ptds(unsigned long long dst, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return memset_2d_checked({dst, pitch, value, 1, width, height}, per_thread_stream());
}

int cuMemsetD2D16_v2_ptds(unsigned long long dst, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return memset_2d_checked({dst, pitch, value, 2, width, height}, per_thread_stream());
}

int cuMemsetD2D32_v2_ptds(unsigned long long dst, size_t pitch, unsigned int value, size_t width,
                          size_t height) {
  return memset_2d_checked({dst, pitch, value, 4, width, height}, per_thread_stream());
}

}  // extern "C"
