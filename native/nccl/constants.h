// NCCL's numbers, as in nccl.h 2.30.
#pragma once

#include <climits>
#include <cstddef>

namespace maya::nccl {

constexpr int kVersion = 23007;

enum Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
  kTimeout = 8,
};

constexpr int kTypes = 12;      // ncclNumTypes
constexpr int kBuiltInOps = 5;  // ncclNumOps
constexpr int kNoColour = -1;   // NCCL_SPLIT_NOCOLOR
constexpr int kUndefined = INT_MIN;
constexpr unsigned kMagic = 0xcafebeef;
constexpr unsigned kSimulationMagic = 0x74685283;
constexpr size_t kUniqueIdBytes = 128;

constexpr int kScalarOnDevice = 0;
constexpr int kScalarOnHost = 1;

// Memory that NCCL allocates comes in whole pages of the driver.
constexpr size_t kAllocationGranularity = size_t{2} << 20;

// The leading part of ncclConfig_t, which all versions since 2.14 share; later fields count only when `size`
// says that the program knows them.
struct Config {
  size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int cluster_size;
  int min_ctas;
  int max_ctas;
  const char* net_name;
  int split_share;
  int traffic_class;
  const char* comm_name;
};

struct SimulationInfo {
  size_t size;
  unsigned magic;
  unsigned version;
  float estimated_time;
};

}  // namespace maya::nccl
