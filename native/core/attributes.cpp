// Device attributes by CUdevice_attribute number; cudaDeviceAttr uses the same numbers.
#include <map>

#include "maya/device.h"

namespace maya {
namespace {

// The same on every GPU in the catalogue (compute capability 7.0 and later).
const std::map<int, int>& fixed_attributes() {
  static const auto* table = new std::map<int, int>{
      {1, 1024},                                 // max threads per block
      {2, 1024},                                 // max block dim x
      {3, 1024},                                 // y
      {4, 64},                                   // z
      {5, 2147483647},                           // max grid dim x
      {6, 65535},                                // y
      {7, 65535},                                // z
      {9, 65536},                                // total constant memory
      {10, 32},                                  // warp size
      {11, 2147483647},                          // max pitch
      {14, 512},                                 // texture alignment
      {15, 1},                                   // gpu overlap
      {17, 0},                                   // kernel exec timeout
      {18, 0},                                   // integrated
      {19, 1},                                   // can map host memory
      {20, 0},                                   // compute mode: default
      {21, 131072},                              // texture 1D width
      {22, 131072},                              // texture 2D width
      {23, 65536},                               // texture 2D height
      {24, 16384},                               // texture 3D width
      {25, 16384},      {26, 16384}, {30, 512},  // surface alignment
      {31, 1},                                   // concurrent kernels
      {34, 0},                                   // pci device id (slot)
      {40, 3},                                   // async engine count
      {41, 1},                                   // unified addressing
      {50, 0},                                   // pci domain id
      {51, 32},                                  // texture pitch alignment
      {78, 1},                                   // stream priorities supported
      {79, 1},                                   // global L1 cache supported
      {80, 1},                                   // local L1 cache supported
      {83, 1},                                   // managed memory
      {84, 0},                                   // multi-gpu board
      {85, 0},                                   // board group id
      {86, 0},                                   // host native atomics
      {88, 1},                                   // pageable memory access
      {89, 1},                                   // concurrent managed access
      {90, 1},                                   // compute preemption
      {91, 1},                                   // host pointer usable for registered memory
      {92, 0},                                   // stream mem ops v1
      {94, 1},                                   // 64-bit stream wait/write values
      {95, 1},                                   // cooperative launch
      {96, 1},                                   // cooperative multi-device launch
      {98, 0},                                   // direct host flush
      {99, 1},                                   // host register supported
      {100, 0},                                  // pageable access uses host page tables
      {101, 0},                                  // direct managed access from host
      {102, 1},                                  // virtual memory management
      {103, 1},                                  // posix file descriptor handles
      {104, 0},         {105, 0},    {107, 0},   // generic compression
      {110, 0},                                  // GPUDirect RDMA with VMM
      {112, 1},                                  // sparse arrays
      {113, 1},                                  // read-only host register
      {114, 1},                                  // timeline semaphores
      {115, 1},                                  // memory pools
      {116, 1},                                  // GPUDirect RDMA
      {117, 1},         {118, 100},  {119, 1},   // pool handle types: posix fd
      {121, 1},                                  // deferred mapping
      {122, 1},                                  // ipc events
      {123, 1},                                  // memory sync domain count
      {124, 0},                                  // tensor map access: filled by architecture below
      {125, 0},                                  // fabric handles: the emulated node has no IMEX domain
      {126, 1},                                  // unified function pointers
      {127, 0},         {128, 0},    {129, 0},   // NUMA config
      {130, -1},        {132, 0},                // multicast
      {133, 0},                                  // MPS
      {134, -1},                                 // host NUMA id
      {135, 0},         {136, 0},                // pci sub-ids
      {137, 0},         {138, 0},    {141, 0},   // host NUMA vmm
      {142, 0},         {143, 0},                // host memory pools
      {144, 0},         {145, 0},
  };
  return *table;
}

int single_to_double_ratio(const DeviceModel& model) {
  bool datacenter = model.minor == 0 && model.major != 12;
  return datacenter ? 2 : (model.major == 7 ? 32 : 64);
}

struct ModelAttribute {
  int attribute;
  int DeviceModel::* field;
};
// What the file of the emulated GPU says as it is asked for.
constexpr ModelAttribute kOfModel[] = {
    {8, &DeviceModel::shared_per_block},
    {12, &DeviceModel::regs_per_block},
    {13, &DeviceModel::clock_khz},
    {16, &DeviceModel::sm_count},
    {32, &DeviceModel::ecc},
    {35, &DeviceModel::tcc},
    {36, &DeviceModel::memory_clock_khz},
    {37, &DeviceModel::memory_bus_bits},
    {38, &DeviceModel::l2_bytes},
    {39, &DeviceModel::max_threads_per_sm},
    {75, &DeviceModel::major},
    {76, &DeviceModel::minor},
    {81, &DeviceModel::shared_per_sm},
    {82, &DeviceModel::regs_per_sm},
    {97, &DeviceModel::shared_per_block_optin},
    {106, &DeviceModel::max_blocks_per_sm},
};

// What follows from it.
bool derived_attribute(const DeviceModel& model, int attribute, int* value) {
  bool hopper = model.major >= 9;
  switch (attribute) {
    case 87:
      return *value = single_to_double_ratio(model), true;
    case 108:
      return *value = model.major >= 8 ? model.l2_bytes / 8 * 5 : 0, true;  // persisting L2
    case 109:
      return *value = 134213632, true;  // max access policy window
    case 111:
      return *value = 1024, true;  // reserved shared memory per block
    case 120:
      return *value = hopper, true;  // cluster launch
    case 124:
      return *value = hopper, true;  // tensor map access
    default:
      return false;
  }
}

bool model_attribute(const DeviceModel& model, int attribute, int* value) {
  for (const ModelAttribute& known : kOfModel) {
    if (known.attribute == attribute) return *value = model.*known.field, true;
  }
  return derived_attribute(model, attribute, value);
}

}  // namespace

bool device_attribute(int device, int attribute, int* value) {
  const DeviceModel& model = device_model();
  if (model_attribute(model, attribute, value)) return true;
  int domain, bus, slot;
  device_pci(device, &domain, &bus, &slot);
  if (attribute == 33) return *value = bus, true;
  auto fixed = fixed_attributes().find(attribute);
  // Attributes unknown to us but within the range of the API are features this device does not have.
  *value = fixed != fixed_attributes().end() ? fixed->second : 0;
  return attribute > 0 && attribute < 150;
}

}  // namespace maya
