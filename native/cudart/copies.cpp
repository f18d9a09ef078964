#include "gen/cudart.h"
#include "maya/device.h"
#include "maya/kernels.h"
#include "maya/memory.h"
#include "maya/values.h"
#include "status.h"

using namespace maya;

namespace {

constexpr int kDefaultDirection = 4;

int memcpy_on(void* dst, const void* src, size_t bytes, int kind, void* handle, bool blocking,
              bool per_thread = false) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (kind < 0 || kind > kDefaultDirection) return fail(kInvalidMemcpyDirection);
  if (bytes == 0) return kSuccess;
  if (!dst || !src) return fail(kInvalidValue);
  if (blocking && on.stream->capture) return fail(kStreamCaptureImplicit);
  copy(dst, src, bytes, *on.stream, blocking);
  return kSuccess;
}

int memcpy_2d_on(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                 void* handle, bool blocking, bool per_thread = false) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (width > dst_pitch || width > src_pitch) return fail(kInvalidPitch);
  if (width == 0 || height == 0) return kSuccess;
  if (!dst || !src) return fail(kInvalidValue);
  copy_2d(dst, dst_pitch, src, src_pitch, width, height, *on.stream, blocking);
  return kSuccess;
}

struct Copy3D {
  void* source_array;
  size_t source_position[3];
  maya_abi_cudaPitchedPtr source;
  void* target_array;
  size_t target_position[3];
  maya_abi_cudaPitchedPtr target;
  maya_abi_cudaExtent extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160, "layout of cudaMemcpy3DParms");

char* corner(const maya_abi_cudaPitchedPtr& pointer, const size_t position[3], size_t slice) {
  size_t row = (position[2] + slice) * pointer.ysize + position[1];
  return static_cast<char*>(pointer.ptr) + row * pointer.pitch + position[0];
}

int memcpy_3d_on(const void* parameters, void* handle, bool blocking, bool per_thread = false) {
  const auto* p = static_cast<const Copy3D*>(parameters);
  if (!p || p->source_array || p->target_array) return fail(kInvalidValue);  // arrays cannot be made here
  for (size_t slice = 0; slice < p->extent.depth; ++slice) {
    int status = memcpy_2d_on(corner(p->target, p->target_position, slice), p->target.pitch,
                              corner(p->source, p->source_position, slice), p->source.pitch, p->extent.width,
                              p->extent.height, handle, blocking, per_thread);
    if (status) return status;
  }
  return kSuccess;
}

int memset_on(void* dst, int value, size_t bytes, void* handle, bool per_thread = false) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (bytes == 0) return kSuccess;
  if (!dst) return fail(kInvalidValue);
  fill(dst, static_cast<unsigned char>(value), 1, bytes, *on.stream);
  return kSuccess;
}

int memset_2d_on(void* dst, size_t pitch, int value, size_t width, size_t height, void* handle) {
  if (width > pitch) return fail(kInvalidPitch);
  if (width == pitch) return memset_on(dst, value, width * height, handle);
  for (size_t row = 0; row < height; ++row) {
    if (int status = memset_on(static_cast<char*>(dst) + row * pitch, value, width, handle)) return status;
  }
  return kSuccess;
}

struct Symbol {
  char* address;
  int error;
};

Symbol symbol_at(const void* symbol, size_t count, size_t offset) {
  if (int error = ready()) return {nullptr, fail(error)};
  void* address;
  size_t bytes;
  if (!registered_variable(symbol, &address, &bytes)) return {nullptr, fail(kInvalidSymbol)};
  if (offset + count > bytes) return {nullptr, fail(kInvalidValue)};
  return {static_cast<char*>(address) + offset, kSuccess};
}

}  // namespace

int cudaMemcpy(void* dst, const void* src, size_t count, int kind) {
  return memcpy_on(dst, src, count, kind, nullptr, true);
}
int cudaMemcpy_ptds(void* dst, const void* src, size_t count, int kind) {
  return memcpy_on(dst, src, count, kind, nullptr, true, true);
}
int cudaMemcpyAsync(void* dst, const void* src, size_t count, int kind, void* stream) {
  return memcpy_on(dst, src, count, kind, stream, false);
}
int cudaMemcpyAsync_ptsz(void* dst, const void* src, size_t count, int kind, void* stream) {
  return memcpy_on(dst, src, count, kind, stream, false, true);
}
int cudaMemcpyPeer(void* dst, int, const void* src, int, size_t count) {
  return memcpy_on(dst, src, count, kDefaultDirection, nullptr, true);
}
int cudaMemcpyPeerAsync(void* dst, int, const void* src, int, size_t count, void* stream) {
  return memcpy_on(dst, src, count, kDefaultDirection, stream, false);
}
int cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height, int) {
  return memcpy_2d_on(dst, dpitch, src, spitch, width, height, nullptr, true);
}
int cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                      int, void* stream) {
  return memcpy_2d_on(dst, dpitch, src, spitch, width, height, stream, false);
}
int cudaMemcpy2DAsync_ptsz(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                           size_t height, int, void* stream) {
  return memcpy_2d_on(dst, dpitch, src, spitch, width, height, stream, false, true);
}
int cudaMemcpy3D(const void* p) {
  return memcpy_3d_on(p, nullptr, true);
}
int cudaMemcpy3DAsync(const void* p, void* stream) {
  return memcpy_3d_on(p, stream, false);
}
int cudaMemcpy3DAsync_ptsz(const void* p, void* stream) {
  return memcpy_3d_on(p, stream, false, true);
}

int cudaMemset(void* dst, int value, size_t count) {
  return memset_on(dst, value, count, nullptr);
}
int cudaMemset_ptds(void* dst, int value, size_t count) {
  return memset_on(dst, value, count, nullptr, true);
}
int cudaMemsetAsync(void* dst, int value, size_t count, void* stream) {
  return memset_on(dst, value, count, stream);
}
int cudaMemsetAsync_ptsz(void* dst, int value, size_t count, void* stream) {
  return memset_on(dst, value, count, stream, true);
}
int cudaMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
  return memset_2d_on(dst, pitch, value, width, height, nullptr);
}
int cudaMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height, void* stream) {
  return memset_2d_on(dst, pitch, value, width, height, stream);
}

int cudaGetSymbolAddress(void** address, const void* symbol) {
  Symbol found = symbol_at(symbol, 0, 0);
  if (!found.address || !address) return found.error;
  *address = found.address;
  return kSuccess;
}

int cudaGetSymbolSize(size_t* size, const void* symbol) {
  if (int error = ready()) return fail(error);
  void* address;
  return check(size && registered_variable(symbol, &address, size), kInvalidSymbol);
}

int cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, int kind) {
  Symbol found = symbol_at(symbol, count, offset);
  return found.address ? memcpy_on(found.address, src, count, kind, nullptr, true) : found.error;
}

int cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset, int kind,
                            void* stream) {
  Symbol found = symbol_at(symbol, count, offset);
  return found.address ? memcpy_on(found.address, src, count, kind, stream, false) : found.error;
}

int cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, int kind) {
  Symbol found = symbol_at(symbol, count, offset);
  return found.address ? memcpy_on(dst, found.address, count, kind, nullptr, true) : found.error;
}

int cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset, int kind,
                              void* stream) {
  Symbol found = symbol_at(symbol, count, offset);
  return found.address ? memcpy_on(dst, found.address, count, kind, stream, false) : found.error;
}
