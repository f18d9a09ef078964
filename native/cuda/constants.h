// Numbers of the driver's interface, under names of our own.
#pragma once

#include <cstddef>

namespace maya::driver {

// CUresult
enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kInvalidPtx = 218,
  kInvalidSource = 300,
  kFileNotFound = 301,
  kOperatingSystem = 304,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kLaunchOutOfResources = 701,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kContextIsDestroyed = 709,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
  kInvalidClusterSize = 912,
};

constexpr int kDriverVersion = 13020;
constexpr size_t kVmmGranularity = 2 * 1024 * 1024;
// CU_STREAM_PER_THREAD
inline void* per_thread_stream() {
  return reinterpret_cast<void*>(2);
}

// Handle types of this library in the core's registry.
enum HandleType : int { kPool = 1, kLinker = 2, kUserObject = 3, kLogCallback = 4 };

// CUfunction_attribute
enum FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedBytes = 1,
  kConstantBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kPtxVersion = 5,
  kBinaryVersion = 6,
  kCacheModeCa = 7,
  kMaxDynamicShared = 8,
  kSharedCarveout = 9,
  kClusterSizeMustBeSet = 10,
  kClusterWidth = 11,
  kClusterHeight = 12,
  kClusterDepth = 13,
  kNonPortableCluster = 14,
  kClusterSchedulingPolicy = 15,
};

// CUlaunchAttributeID
enum LaunchAttributeId : int {
  kAttributeCooperative = 2,
  kAttributeClusterDimension = 4,
  kAttributeProgrammaticSerialization = 6,
  kAttributePriority = 8,
};

// Bits of LaunchShape::attributes.
enum LaunchBit : unsigned { kCooperative = 1, kProgrammaticSerialization = 2, kPriority = 4 };

// The `extra` argument of a launch.
constexpr size_t kParamBufferEnd = 0;
constexpr size_t kParamBufferPointer = 1;
constexpr size_t kParamBufferSize = 2;

// CUmemorytype
enum MemoryType : unsigned { kHost = 1, kDevice = 2, kArray = 3, kUnified = 4 };

// CUmemLocationType
enum LocationType : int { kLocationDevice = 1, kLocationHost = 2, kLocationHostNuma = 3 };

// CUmemAllocationHandleType
enum HandleKind : int { kPosixDescriptor = 1, kFabric = 8 };

// CUdevice_attribute, those this library asks the core for
enum DeviceAttribute : int { kAttributeSharedReserved = 111 };

}  // namespace maya::driver
