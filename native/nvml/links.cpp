// How GPUs are connected: through NVLink switches where the model has NVLink, else through PCIe.
#include <ctime>

#include <cstring>

#include "device.h"

using namespace maya::nvml;
using maya::device_model;

namespace {

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, result;
  unsigned long long value;
};
static_assert(sizeof(FieldValue) == 40);

struct FabricInfo {
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};
struct VersionedFabricInfo {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
static_assert(sizeof(FabricInfo) == 28 && sizeof(VersionedFabricInfo) == 36);

// kSuccess when this GPU has this link.
int find_link(void* device, unsigned link) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (device_model().nvlinks == 0) return kNotSupported;
  return link < static_cast<unsigned>(device_model().nvlinks) ? kSuccess : kInvalidArgument;
}

// Per link and direction, as the driver reports it: 25.78 to 26.56 GB/s up to NVLink 4, twice that from 5.
unsigned link_megabytes_per_second() {
  int major = device_model().major;
  if (major < 8) return 25781;
  return major < 10 ? 26562 : 53125;
}

// nvmlNvlinkVersion_t: 2 is NVLink 2.0, 4 is 3.0, 6 is 4.0, 7 is 5.0.
unsigned link_version() {
  int major = device_model().major;
  if (major < 8) return 2;
  return major == 8 ? 4 : major == 9 ? 6 : 7;
}

unsigned char fabric_state() {
  return device_model().major >= 9 && device_model().nvlinks > 0 ? kFabricCompleted : kFabricNotSupported;
}

long long now_us() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1000000ll + time.tv_nsec / 1000;
}

void answer(FieldValue& field, int type, unsigned long long value) {
  field.type = type;
  field.value = value;
  field.result = kSuccess;
}

void fill_field(FieldValue& field) {
  unsigned links = static_cast<unsigned>(device_model().nvlinks);
  field.timestamp = now_us();
  field.latency_us = 0;
  field.result = kNotSupported;
  switch (field.field) {
    case kFieldMemoryTemperature:
      return answer(field, kUnsignedInt, 30);
    case kFieldEnergy:
      return answer(field, kUnsignedLongLong, 0);
    case kFieldLinkCount:
      return answer(field, kUnsignedInt, links);
    case kFieldPowerAverage:
    case kFieldPowerInstant:
      return answer(field, kUnsignedInt, static_cast<unsigned>(device_model().power_limit_mw) / 10);
    case kFieldLinkState:
      return answer(field, kUnsignedInt, field.scope < links);
    case kFieldLinkSpeed:
    case kFieldLinkSpeedCommon:
      return answer(field, kUnsignedInt, links ? link_megabytes_per_second() : 0);
    default:
      break;
  }
  if (field.field >= kFieldLinkSpeedFirst && field.field <= kFieldLinkSpeedLast) {
    bool present = field.field - kFieldLinkSpeedFirst < links;
    answer(field, kUnsignedInt, present ? link_megabytes_per_second() : 0);
  }
}

}  // namespace

extern "C" {

int nvmlDeviceGetNvLinkState(void* device, unsigned int link, int* isActive) {
  int result = find_link(device, link);
  return result == kSuccess ? give(device, isActive, 1) : result;
}

int nvmlDeviceGetNvLinkVersion(void* device, unsigned int link, unsigned int* version) {
  int result = find_link(device, link);
  return result == kSuccess ? give(device, version, link_version()) : result;
}

int nvmlDeviceGetNvLinkCapability(void* device, unsigned int link, int capability, unsigned int* capResult) {
  constexpr int kSliBridge = 4, kValid = 5;
  int result = find_link(device, link);
  if (result != kSuccess) return result;
  if (capability < 0 || capability > kValid) return kInvalidArgument;
  return give(device, capResult, capability != kSliBridge);
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, unsigned int link, int* pNvLinkDeviceType) {
  int result = find_link(device, link);
  return result == kSuccess ? give(device, pNvLinkDeviceType, kLinkToSwitch) : result;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned int link, void* pci) {
  int result = find_link(device, link);
  if (result != kSuccess) return result;
  if (!pci) return kInvalidArgument;
  // Every link leads to the one switch that stands for all.
  char* to = static_cast<char*>(pci);
  std::memset(to, 0, 68);
  std::strcpy(to, "0000:05:00.0");
  to[20] = 5;
  std::strcpy(to + 36, "00000000:05:00.0");
  return kSuccess;
}

int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned int link, int, unsigned long long* counterValue) {
  int result = find_link(device, link);
  return result == kSuccess ? give(device, counterValue, 0) : result;
}

int nvmlDeviceGetTopologyCommonAncestor(void* device1, void* device2, int* pathInfo) {
  unsigned first = 0, second = 0;
  int result = find(device1, &first);
  if (result == kSuccess) result = find(device2, &second);
  if (result != kSuccess) return result;
  bool same_socket = first / 4 == second / 4;
  return give(device1, pathInfo, first == second ? kInternal : same_socket ? kNode : kSystem);
}

int nvmlDeviceGetP2PStatus(void* device1, void* device2, int p2pIndex, int* p2pStatus) {
  unsigned other = 0;
  int result = find(device2, &other);
  if (result != kSuccess) return result;
  if (p2pIndex < 0 || p2pIndex >= kP2PIndices) return kInvalidArgument;
  bool missing = p2pIndex == kP2PNvlink && device_model().nvlinks == 0;
  return give(device1, p2pStatus, missing ? kP2PNotSupported : kP2POk);
}

int nvmlDeviceOnSameBoard(void* device1, void* device2, int* onSameBoard) {
  return give(device1, onSameBoard, device1 == device2);
}

int nvmlDeviceGetGpuFabricInfo(void* device, void* gpuFabricInfo) {
  FabricInfo info{};
  info.state = fabric_state();
  return give(device, static_cast<FabricInfo*>(gpuFabricInfo), info);
}

int nvmlDeviceGetGpuFabricInfoV(void* device, void* gpuFabricInfo) {
  auto* out = static_cast<VersionedFabricInfo*>(gpuFabricInfo);
  if (!out) return kInvalidArgument;
  VersionedFabricInfo info{};
  info.version = out->version;
  info.state = fabric_state();
  return give(device, out, info);
}

int nvmlDeviceGetFieldValues(void* device, int valuesCount, void* values) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (valuesCount < 0 || !values) return kInvalidArgument;
  auto* fields = static_cast<FieldValue*>(values);
  for (int i = 0; i < valuesCount; ++i) fill_field(fields[i]);
  return kSuccess;
}

// No GPU is nearer to one processor than to another.
int nvmlDeviceGetCpuAffinity(void* device, unsigned int cpuSetSize, unsigned long* cpuSet) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (!cpuSet || cpuSetSize == 0) return kInvalidArgument;
  std::memset(cpuSet, 0xff, cpuSetSize * sizeof *cpuSet);
  return kSuccess;
}

int nvmlDeviceGetCpuAffinityWithinScope(void* device, unsigned int cpuSetSize, unsigned long* cpuSet,
                                        unsigned int) {
  return nvmlDeviceGetCpuAffinity(device, cpuSetSize, cpuSet);
}

int nvmlDeviceGetMemoryAffinity(void* device, unsigned int nodeSetSize, unsigned long* nodeSet,
                                unsigned int) {
  return nvmlDeviceGetCpuAffinity(device, nodeSetSize, nodeSet);
}

int nvmlDeviceSetCpuAffinity(void* device) {
  unsigned index = 0;
  return find(device, &index);
}

int nvmlDeviceClearCpuAffinity(void* device) {
  unsigned index = 0;
  return find(device, &index);
}

}  // extern "C"
