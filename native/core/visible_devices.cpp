#include "visible_devices.h"

#include <strings.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "maya/runtime.h"

namespace maya {
namespace {

std::string uuid_text(int physical) {
  unsigned char u[16];
  physical_uuid(physical, u);
  char text[48];
  std::snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
                u[15]);
  return text;
}

// A beginning of the identifier is enough where only one device has it.
int device_by_uuid(const std::string& given) {
  int found = -1;
  for (int i = 0; i < config().gpu_count; ++i) {
    if (strncasecmp(uuid_text(i).c_str(), given.c_str(), given.size()) != 0) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

int device_named(const std::string& entry) {
  if (entry.compare(0, 4, "GPU-") == 0) return device_by_uuid(entry);
  char* end = nullptr;
  long index = std::strtol(entry.c_str(), &end, 10);
  bool valid = end != entry.c_str() && index >= 0 && index < config().gpu_count;
  return valid ? static_cast<int>(index) : -1;
}

}  // namespace

void physical_uuid(int physical, unsigned char uuid[16]) {
  static const unsigned char base[16] = {'m',  'a', 'y', 'a', 0x45, 0x10, 0x4d, 0x01,
                                         0x80, 0,   0,   0,   0,    0,    0,    0};
  std::memcpy(uuid, base, 16);
  uuid[15] = static_cast<unsigned char>(physical);
}

std::vector<int> visible_devices() {
  std::vector<int> visible;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; !list && i < config().gpu_count; ++i) visible.push_back(i);
  std::string rest = list ? list : "";
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    int device = device_named(rest.substr(0, comma));
    if (device < 0) break;
    visible.push_back(device);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return visible;
}

}  // namespace maya
