// CUPTI's numbers.
#pragma once

#include <cstdint>

namespace maya::cupti {

#if MAYA_CUDA_MAJOR == 12
constexpr uint32_t kVersion = 26;
#else
constexpr uint32_t kVersion = 130202;
#endif

enum Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kInvalidOperation = 7,
  kParameterSizeNotSufficient = 10,
  kMaxLimitReached = 12,
  kQueueEmpty = 18,
  kInvalidStream = 20,
  kInvalidKind = 21,
  kMultipleSubscribers = 39,
};

enum ActivityKind : int {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kRuntime = 5,
  kConcurrentKernel = 10,
  kMemcpyPeer = 22,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kActivityKinds = 60,
};

enum ExternalKind : int { kFirstExternalKind = 1, kExternalKinds = 6 };

enum CallbackDomain : int { kDriverApi = 1, kRuntimeApi = 2, kCallbackDomains = 6 };

// Of cupti_runtime_cbid.h; the same in CUDA 12 and 13.
enum RuntimeFunction : int {
  kCudaMemcpy = 31,
  kCudaMemcpyAsync = 41,
  kCudaMemsetAsync = 51,
  kCudaStreamSynchronize = 131,
  kCudaEventRecord = 135,
  kCudaEventSynchronize = 137,
  kCudaStreamWaitEvent = 147,
  kCudaMemcpyPeerAsync = 161,
  kCudaDeviceSynchronize = 165,
  kCudaLaunchKernel = 211,
  kCudaLaunchHostFunc = 284,
  kCudaGraphLaunch = 311,
};

enum MemoryKind : uint8_t { kUnknownMemory = 0, kPageable = 1, kPinned = 2, kDevice = 3 };
enum CopyKind : uint8_t {
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 8,
  kHostToHost = 9,
  kPeerToPeer = 10
};
constexpr uint8_t kAsynchronous = 1;  // CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC, _MEMSET_ASYNC
constexpr uint32_t kInvalidGraphNode = 0;
constexpr uint32_t kNoStreamOrEvent = 0xffffffff;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE

enum ThreadIdType : int { kPthreadId = 0, kSystemThreadId = 1 };

}  // namespace maya::cupti
