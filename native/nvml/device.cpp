#include "device.h"

#include <strings.h>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "maya/runtime.h"

namespace maya::nvml {
namespace {

constexpr unsigned kMostGpus = 256;
char handles[kMostGpus];  // a handle is the address of its place
std::atomic<int> users{0};

void uuid_bytes(unsigned index, unsigned char uuid[16]) {
  int device = cuda_device(index);
  if (device >= 0) return device_uuid(device, uuid);
  std::memset(uuid, 0, 16);
  if (device_count() > 0) device_uuid(0, uuid);
  uuid[15] = static_cast<unsigned char>(index);  // as the core numbers those that are visible
}

int start() {
  ++users;
  return kSuccess;
}

template <typename Matches>
int find_where(void** device, Matches matches) {
  if (!initialized()) return kUninitialized;
  if (!device) return kInvalidArgument;
  for (unsigned i = 0; i < gpu_count(); ++i) {
    if (!matches(i)) continue;
    *device = handle_of(i);
    return kSuccess;
  }
  return kNotFound;
}

}  // namespace

bool initialized() {
  return users > 0;
}

unsigned gpu_count() {
  unsigned count = static_cast<unsigned>(config().gpu_count);
  return count < kMostGpus ? count : kMostGpus;
}

void* handle_of(unsigned index) {
  return handles + index;
}

int find(void* device, unsigned* index) {
  if (!initialized()) return kUninitialized;
  char* at = static_cast<char*>(device);
  if (at < handles || at >= handles + gpu_count()) return kInvalidArgument;
  *index = static_cast<unsigned>(at - handles);
  return kSuccess;
}

int cuda_device(unsigned index) {
  for (int i = 0; i < device_count(); ++i) {
    if (physical_device(i) == static_cast<int>(index)) return i;
  }
  return -1;
}

std::string uuid_text(unsigned index) {
  unsigned char u[16];
  uuid_bytes(index, u);
  char text[48];
  std::snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
                u[15]);
  return text;
}

unsigned bus_number(unsigned index) {
  int domain = 0, bus = 0, slot = 0;
  int device = cuda_device(index);
  if (device < 0) return 0x1b + 0x10 * index % 0xe0;  // as the core places those that are visible
  device_pci(device, &domain, &bus, &slot);
  return static_cast<unsigned>(bus);
}

std::string bus_id(unsigned index) {
  char text[32];
  std::snprintf(text, sizeof text, "00000000:%02X:00.0", bus_number(index));
  return text;
}

int copy_text(const std::string& text, char* to, unsigned length) {
  if (!to) return kInvalidArgument;
  if (text.size() + 1 > length) return kInsufficientSize;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

}  // namespace maya::nvml

using namespace maya::nvml;

extern "C" {

int nvmlInit() {
  return start();
}

int nvmlInit_v2() {
  return start();
}

int nvmlInitWithFlags(unsigned int) {
  return start();
}

int nvmlShutdown() {
  if (!initialized()) return kUninitialized;
  --users;
  return kSuccess;
}

int nvmlDeviceGetCount(unsigned int* deviceCount) {
  if (!initialized()) return kUninitialized;
  if (!deviceCount) return kInvalidArgument;
  *deviceCount = gpu_count();
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned int* deviceCount) {
  return nvmlDeviceGetCount(deviceCount);
}

int nvmlDeviceGetHandleByIndex(unsigned int index, void** device) {
  if (initialized() && index >= gpu_count()) return kInvalidArgument;
  return find_where(device, [=](unsigned i) { return i == index; });
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  return nvmlDeviceGetHandleByIndex(index, device);
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (!uuid) return kInvalidArgument;
  return find_where(device, [=](unsigned i) { return uuid_text(i) == uuid; });
}

// Programs write the address with a domain of four or of eight digits, or none.
int nvmlDeviceGetHandleByPciBusId(const char* pciBusId, void** device) {
  if (!pciBusId) return kInvalidArgument;
  const char* after_domain = std::strchr(pciBusId, ':');
  bool has_domain = after_domain && std::strchr(after_domain + 1, ':');
  const char* address = has_domain ? after_domain + 1 : pciBusId;
  return find_where(device, [=](unsigned i) { return !strcasecmp(bus_id(i).c_str() + 9, address); });
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* pciBusId, void** device) {
  return nvmlDeviceGetHandleByPciBusId(pciBusId, device);
}

int nvmlDeviceGetIndex(void* device, unsigned int* index) {
  unsigned found = 0;
  int result = find(device, &found);
  return result == kSuccess ? give(device, index, found) : result;
}

int nvmlDeviceGetMinorNumber(void* device, unsigned int* minorNumber) {
  return nvmlDeviceGetIndex(device, minorNumber);
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned int length) {
  unsigned index = 0;
  int result = find(device, &index);
  return result == kSuccess ? copy_text(uuid_text(index), uuid, length) : result;
}

}  // extern "C"
