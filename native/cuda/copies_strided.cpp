// Two- and three-dimensional copies between linear memory. Arrays are textures' business and are not
// emulated.
#include "copies.h"
#include "maya/graph.h"
#include "maya/values.h"

using namespace maya;
using namespace maya::driver;

namespace maya::driver {
namespace {

int arrays_unsupported() {
  static UnsupportedCall call{"cuMemcpy2D/3D of a CUarray", "cuda"};
  return unsupported(call, kNotSupported);
}

// The first byte of an operand; null where it is an array.
const char* origin(unsigned type, const void* host, DevicePtr device, size_t x, size_t y, size_t pitch) {
  if (type == kArray) return nullptr;
  const auto* base = static_cast<const char*>(type == kHost ? host : pointer(device));
  return base ? base + y * pitch + x : nullptr;
}

struct Plane {
  const char* src;
  char* dst;
  size_t src_pitch, dst_pitch;  // bytes from row to row
  size_t src_slice, dst_slice;  // bytes from slice to slice
};

// One copy where the slices lie one behind the other, as they nearly always do; otherwise one per slice.
void copy_slices(const Plane& plane, size_t width, size_t height, size_t depth, Stream& stream,
                 bool blocking) {
  const bool dense =
      plane.src_slice == plane.src_pitch * height && plane.dst_slice == plane.dst_pitch * height;
  if (dense || depth == 1) {
    copy_2d(plane.dst, plane.dst_pitch, plane.src, plane.src_pitch, width, height * depth, stream, blocking);
    return;
  }
  for (size_t z = 0; z < depth; ++z) {
    copy_2d(plane.dst + z * plane.dst_slice, plane.dst_pitch, plane.src + z * plane.src_slice,
            plane.src_pitch, width, height, stream, blocking);
  }
}

Copy3d widened(const Copy2d& flat) {
  Copy3d copy{};
  copy.src_x = flat.src_x, copy.src_y = flat.src_y;
  copy.src_type = flat.src_type, copy.src_host = flat.src_host;
  copy.src_device = flat.src_device, copy.src_pitch = flat.src_pitch;
  copy.dst_x = flat.dst_x, copy.dst_y = flat.dst_y;
  copy.dst_type = flat.dst_type, copy.dst_host = flat.dst_host;
  copy.dst_device = flat.dst_device, copy.dst_pitch = flat.dst_pitch;
  copy.width = flat.width, copy.height = flat.height, copy.depth = 1;
  return copy;
}

}  // namespace

int copy_3d_onto(const Copy3d& copy, Stream& stream, bool blocking) {
  if (copy.src_type == kArray || copy.dst_type == kArray) return arrays_unsupported();
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return kSuccess;
  Plane plane{};
  plane.src_pitch = copy.src_pitch ? copy.src_pitch : copy.src_x + copy.width;
  plane.dst_pitch = copy.dst_pitch ? copy.dst_pitch : copy.dst_x + copy.width;
  plane.src_slice = plane.src_pitch * (copy.src_height ? copy.src_height : copy.height);
  plane.dst_slice = plane.dst_pitch * (copy.dst_height ? copy.dst_height : copy.height);
  if (copy.width > plane.src_pitch || copy.width > plane.dst_pitch) return kInvalidValue;
  plane.src = origin(copy.src_type, copy.src_host, copy.src_device, copy.src_x, copy.src_y, plane.src_pitch);
  plane.dst = const_cast<char*>(
      origin(copy.dst_type, copy.dst_host, copy.dst_device, copy.dst_x, copy.dst_y, plane.dst_pitch));
  if (!plane.src || !plane.dst) return kInvalidValue;
  plane.src += copy.src_z * plane.src_slice;
  plane.dst += copy.dst_z * plane.dst_slice;
  copy_slices(plane, copy.width, copy.height, copy.depth, stream, blocking);
  return kSuccess;
}

int copy_3d_checked(const Copy3d* copy, void* handle, bool blocking) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!copy) return kInvalidValue;
  if (blocking && capture_forbids_unsafe_calls()) return kStreamCaptureImplicit;
  Call call;
  return copy_3d_onto(*copy, *stream, blocking);
}

int copy_2d_checked(const Copy2d* copy, void* handle, bool blocking) {
  if (!copy) return kInvalidValue;
  const Copy3d wide = widened(*copy);
  return copy_3d_checked(&wide, handle, blocking);
}

}  // namespace maya::driver

extern "C" {

int cuMemcpy2D_v2(const void* copy) {
  return copy_2d_checked(static_cast<const Copy2d*>(copy), nullptr, true);
}
int cuMemcpy2DUnaligned_v2(const void* copy) {
  return cuMemcpy2D_v2(copy);
}

int cuMemcpy2DAsync_v2(const void* copy, void* stream) {
  return copy_2d_checked(static_cast<const Copy2d*>(copy), stream, false);
}

int cuMemcpy3D_v2(const void* copy) {
  return copy_3d_checked(static_cast<const Copy3d*>(copy), nullptr, true);
}
int cuMemcpy3DPeer(const void* copy) {
  return cuMemcpy3D_v2(copy);
}

int cuMemcpy3DAsync_v2(const void* copy, void* stream) {
  return copy_3d_checked(static_cast<const Copy3d*>(copy), stream, false);
}

int cuMemcpy3DPeerAsync(const void* copy, void* stream) {
  return cuMemcpy3DAsync_v2(copy, stream);
}

}  // extern "C"
