// cudaDeviceProp: laid out anew in CUDA 13, so written field by field from the attributes.
#include <cstring>

#include "gen/cudart.h"
#include "maya/device.h"
#include "status.h"

namespace maya {
namespace {

// Appends fields as the C compiler would lay them out.
class Writer {
 public:
  explicit Writer(void* base) : base_(static_cast<char*>(base)) {}

  void bytes(const void* data, size_t size) {
    std::memcpy(base_ + at_, data, size);
    at_ += size;
  }
  void integer(int value) { aligned(value); }
  void size(size_t value) { aligned(value); }
  void integers(std::initializer_list<int> values) {
    for (int value : values) integer(value);
  }
  void attributes(int device, std::initializer_list<int> numbers) {
    for (int number : numbers) {
      int value = 0;
      device_attribute(device, number, &value);
      integer(value);
    }
  }

 private:
  template <typename T>
  void aligned(T value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes(&value, sizeof value);
  }

  char* base_;
  size_t at_ = 0;
};

constexpr bool kCuda13 = MAYA_CUDA_MAJOR >= 13;
constexpr size_t kBytes = kCuda13 ? 1008 : 1032;

// CUDA 13 dropped fields that attributes report (clock rates, overlap, compute mode).
void write_identity(Writer& out, int device, const DeviceModel& model) {
  char name[256] = {};
  std::strncpy(name, model.name.c_str(), sizeof name - 1);
  out.bytes(name, sizeof name);
  unsigned char uuid[16];
  device_uuid(device, uuid);
  out.bytes(uuid, sizeof uuid);
  char luid[8] = {};
  out.bytes(luid, sizeof luid);
  out.integer(0);
  out.size(model.total_memory);
  out.size(static_cast<size_t>(model.shared_per_block));
  out.integers({model.regs_per_block, 32});
  out.size(2147483647);
  out.integers({1024, 1024, 1024, 64, 2147483647, 65535, 65535});
  if (!kCuda13) out.integer(model.clock_khz);
  out.size(65536);
  out.integers({model.major, model.minor});
  out.size(512);
  out.size(32);
  if (!kCuda13) out.integer(1);
  out.integer(model.sm_count);
  if (!kCuda13) out.integer(0);
  out.integers({0, 1});
  if (!kCuda13) out.integer(0);
}

void write_textures(Writer& out) {
  out.integers({131072, 32768});
  if (!kCuda13) out.integer(268435456);
  out.integers({131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768, 32768, 16384, 16384, 16384,
                8192,   8192,  32768, 32768, 32768,  2048,  32768,   32768, 2048,  32768, 2046});
  out.integers(
      {32768, 131072, 65536, 16384, 16384, 16384, 32768, 2048, 32768, 32768, 2048, 32768, 32768, 2046});
  out.size(512);
}

void write_features(Writer& out, int device, const DeviceModel& model) {
  out.attributes(device, {31, 32, 33, 34, 50, 35, 40, 41});
  if (!kCuda13) out.integer(model.memory_clock_khz);
  out.attributes(device, {37, 38, 108, 39, 78, 79, 80});
  out.size(static_cast<size_t>(model.shared_per_sm));
  out.attributes(device, {82, 83, 84, 85, 86});
  if (!kCuda13) out.attributes(device, {87});
  out.attributes(device, {88, 89, 90, 91, 95});
  if (!kCuda13) out.attributes(device, {96});
  out.size(static_cast<size_t>(model.shared_per_block_optin));
  out.attributes(device, {100, 101, 106, 109});
  out.size(1024);
  out.attributes(device, {99, 112, 113, 114, 115, 116, 117, 118, 119, 121, 122, 120, 126});
  if (kCuda13) out.attributes(device, {129, 130, 133, 134, 138, 139, 136});
}

int get_properties(void* prop, int device) {
  if (int error = ready()) return fail(error);
  if (!prop) return fail(kInvalidValue);
  if (device < 0 || device >= device_count()) return fail(kInvalidDevice);
  std::memset(prop, 0, kBytes);
  Writer out(prop);
  const DeviceModel& model = device_model();
  write_identity(out, device, model);
  write_textures(out);
  write_features(out, device, model);
  return kSuccess;
}

}  // namespace
}  // namespace maya

using namespace maya;

int cudaGetDeviceProperties(void* prop, int device) {
  return get_properties(prop, device);
}

#if MAYA_CUDA_MAJOR == 12
int cudaGetDeviceProperties_v2(void* prop, int device) {
  return get_properties(prop, device);
}
#endif
