// What a GPU is.
#include <cstring>

#include "device.h"

using namespace maya::nvml;
using maya::device_model;

namespace {

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);

struct Attributes {
  unsigned multiprocessors, copy_engines, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
  unsigned long long memory_mb;
};

// NVML_DEVICE_ARCH_*: Volta 5, Turing 6, Ampere 7, Ada 8, Hopper 9, Blackwell 10.
unsigned architecture() {
  const auto& model = device_model();
  if (model.major == 7) return model.minor >= 5 ? 6 : 5;
  if (model.major == 8) return model.minor == 9 ? 8 : 7;
  return model.major == 9 ? 9 : 10;
}

unsigned cores_per_sm() {
  const auto& model = device_model();
  return model.major == 7 || (model.major == 8 && model.minor == 0) ? 64 : 128;
}

int brand() {
  const std::string& name = device_model().name;
  if (name.find("GeForce") != std::string::npos) return kGeforce;
  return name.find("Tesla") != std::string::npos ? kTesla : kNvidia;
}

template <typename Info>
int fill_pci(void* device, Info* info) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (!info) return kInvalidArgument;
  std::string address = bus_id(index);
  std::memset(info, 0, sizeof *info);
  std::memcpy(info->legacy_bus_id, address.c_str() + 4, address.size() - 3);
  std::memcpy(info->bus_id, address.c_str(), address.size() + 1);
  info->bus = bus_number(index);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlDeviceGetName(void* device, char* name, unsigned int length) {
  unsigned index = 0;
  int result = find(device, &index);
  return result == kSuccess ? copy_text(device_model().name, name, length) : result;
}

int nvmlDeviceGetBrand(void* device, int* type) {
  return give(device, type, brand());
}

int nvmlDeviceGetArchitecture(void* device, unsigned int* arch) {
  return give(device, arch, architecture());
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  int result = give(device, major, device_model().major);
  return result == kSuccess ? give(device, minor, device_model().minor) : result;
}

int nvmlDeviceGetNumGpuCores(void* device, unsigned int* numCores) {
  return give(device, numCores, static_cast<unsigned>(device_model().sm_count) * cores_per_sm());
}

int nvmlDeviceGetMemoryBusWidth(void* device, unsigned int* busWidth) {
  return give(device, busWidth, device_model().memory_bus_bits);
}

int nvmlDeviceGetAttributes_v2(void* device, void* attributes) {
  const auto& model = device_model();
  Attributes facts{static_cast<unsigned>(model.sm_count), 0, 0, 0, 0, 0, 0, 0, model.total_memory >> 20};
  return give(device, static_cast<Attributes*>(attributes), facts);
}

int nvmlDeviceGetAttributes(void* device, void* attributes) {
  return nvmlDeviceGetAttributes_v2(device, attributes);
}

int nvmlDeviceGetPciInfo_v3(void* device, void* pci) {
  return fill_pci(device, static_cast<PciInfo*>(pci));
}

int nvmlDeviceGetPciInfo_v2(void* device, void* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}

// The first form: the short address, four reserved words in place of the long one.
int nvmlDeviceGetPciInfo(void* device, void* pci) {
  PciInfo whole;
  int result = fill_pci(device, &whole);
  if (result != kSuccess) return result;
  if (!pci) return kInvalidArgument;
  std::memcpy(pci, &whole, offsetof(PciInfo, bus_id));
  return kSuccess;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned int* maxLinkGen) {
  return give(device, maxLinkGen, device_model().pci_gen);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned int* currLinkGen) {
  return give(device, currLinkGen, device_model().pci_gen);
}

int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned int* maxLinkWidth) {
  return give(device, maxLinkWidth, 16);
}

int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned int* currLinkWidth) {
  return give(device, currLinkWidth, 16);
}

int nvmlDeviceGetEccMode(void* device, int* current, int* pending) {
  int result = give(device, current, device_model().ecc);
  return result == kSuccess ? give(device, pending, device_model().ecc) : result;
}

int nvmlDeviceGetMigMode(void* device, unsigned int* currentMode, unsigned int* pendingMode) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (device_model().major < 8) return kNotSupported;
  result = give(device, currentMode, 0);
  return result == kSuccess ? give(device, pendingMode, 0) : result;
}

int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned int* count) {
  return give(device, count, 0);
}

int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned int, void**) {
  unsigned index = 0;
  int result = find(device, &index);
  return result == kSuccess ? kNotFound : result;
}

int nvmlDeviceIsMigDeviceHandle(void* device, unsigned int* isMigDevice) {
  return give(device, isMigDevice, 0);
}

int nvmlDeviceGetPersistenceMode(void* device, int* mode) {
  return give(device, mode, 1);
}

int nvmlDeviceGetComputeMode(void* device, int* mode) {
  return give(device, mode, 0);
}

int nvmlDeviceGetDisplayMode(void* device, int* display) {
  return give(device, display, 0);
}

int nvmlDeviceGetDisplayActive(void* device, int* isActive) {
  return give(device, isActive, 0);
}

int nvmlDeviceGetMultiGpuBoard(void* device, unsigned int* multiGpuBool) {
  return give(device, multiGpuBool, 0);
}

int nvmlDeviceGetVirtualizationMode(void* device, int* pVirtualMode) {
  return give(device, pVirtualMode, 0);
}

}  // extern "C"
