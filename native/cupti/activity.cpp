// The activity interface: which records, when, into which buffers.
#include <cstring>

#include "clock.h"
#include "gen/cupti.h"
#include "listener.h"
#include "records.h"
#include "session.h"

namespace maya::cupti {

size_t record_bytes(int kind) {
  switch (kind) {
    case kMemcpy:
      return sizeof(CopyRecord);
    case kMemset:
      return sizeof(MemsetRecord);
    case kKernel:
    case kConcurrentKernel:
      return sizeof(KernelRecord);
    case kRuntime:
      return sizeof(ApiRecord);
    case kMemcpyPeer:
      return sizeof(PeerCopyRecord);
    case kSynchronization:
      return sizeof(SynchronizationRecord);
    case kExternalCorrelation:
      return sizeof(ExternalCorrelationRecord);
    default:
      return 0;
  }
}

namespace {

int set_enabled(int kind, bool on) {
  if (kind <= 0 || kind >= kActivityKinds) return kInvalidKind;
  enable(kind, on);
  return kSuccess;
}

}  // namespace
}  // namespace maya::cupti

using namespace maya::cupti;

extern "C" {

int cuptiActivityRegisterCallbacks(void* funcBufferRequested, void* funcBufferCompleted) {
  if (!funcBufferRequested || !funcBufferCompleted) return kInvalidParameter;
  register_buffer_callbacks(reinterpret_cast<BufferRequested>(funcBufferRequested),
                            reinterpret_cast<BufferCompleted>(funcBufferCompleted));
  return kSuccess;
}

int cuptiActivityEnable(int kind) {
  return set_enabled(kind, true);
}

int cuptiActivityDisable(int kind) {
  return set_enabled(kind, false);
}

int cuptiActivityEnableContext(void*, int kind) {
  return set_enabled(kind, true);
}

int cuptiActivityDisableContext(void*, int kind) {
  return set_enabled(kind, false);
}

int cuptiActivityEnableAndDump(int kind) {
  return set_enabled(kind, true);
}

// Choices among records that are not made here: every choice is granted.
int cuptiActivityEnableRuntimeApi(unsigned int, uint8_t) {
  return kSuccess;
}

int cuptiActivityEnableDriverApi(unsigned int, uint8_t) {
  return kSuccess;
}

int cuptiActivityEnableLatencyTimestamps(uint8_t) {
  return kSuccess;
}

int cuptiActivityEnableLaunchAttributes(uint8_t) {
  return kSuccess;
}

int cuptiActivityEnableAllSyncRecords(uint8_t) {
  return kSuccess;
}

#if MAYA_CUDA_MAJOR >= 13
int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) {
  return kSuccess;
}
#endif

int cuptiActivityFlush(void*, uint32_t, uint32_t) {
  flush();
  return kSuccess;
}

int cuptiActivityFlushAll(uint32_t) {
  flush();
  return kSuccess;
}

// Buffers are handed over when they are full or flushed, so no period is needed.
int cuptiActivityFlushPeriod(uint32_t) {
  return kSuccess;
}

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes, void** record) {
  if (!buffer || !record) return kInvalidParameter;
  auto* at = static_cast<uint8_t*>(*record);
  if (!at) {
    at = buffer;
  } else {
    size_t bytes = record_bytes(reinterpret_cast<RecordHead*>(at)->kind);
    if (bytes == 0) return kInvalidKind;
    at += bytes;
  }
  if (at + sizeof(RecordHead) > buffer + validBufferSizeBytes) return kMaxLimitReached;
  *record = at;
  return kSuccess;
}

int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (!dropped) return kInvalidParameter;
  *dropped = take_dropped();
  return kSuccess;
}

int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
  return push_external(kind, id) ? kSuccess : kInvalidParameter;
}

int cuptiActivityPopExternalCorrelationId(int kind, uint64_t* lastId) {
  if (kind < kFirstExternalKind || kind >= kExternalKinds) return kInvalidParameter;
  uint64_t id = 0;
  bool popped = pop_external(kind, &id);
  if (lastId) *lastId = id;
  return popped ? kSuccess : kQueueEmpty;
}

int cuptiActivityRegisterTimestampCallback(void* funcTimestamp) {
  if (!funcTimestamp) return kInvalidParameter;
  if (bool* cycles = maya::kineto_cycles()) {
    *cycles = false;
    return kSuccess;
  }
  set_clock(reinterpret_cast<uint64_t (*)()>(funcTimestamp));
  return kSuccess;
}

int cuptiGetTimestamp(uint64_t* time) {
  if (!time) return kInvalidParameter;
  *time = timestamp();
  return kSuccess;
}

// Attributes tune buffers on the device, which do not exist: accepted, and read back as zero.
int cuptiActivitySetAttribute(int, size_t* valueSize, void* value) {
  return valueSize && value ? kSuccess : kInvalidParameter;
}

int cuptiActivityGetAttribute(int, size_t* valueSize, void* value) {
  if (!valueSize || !value) return kInvalidParameter;
  std::memset(value, 0, *valueSize);
  return kSuccess;
}

int cuptiSetThreadIdType(int type) {
  if (type != kPthreadId && type != kSystemThreadId) return kInvalidParameter;
  set_thread_id_type(type);
  return kSuccess;
}

int cuptiGetThreadIdType(int* type) {
  if (!type) return kInvalidParameter;
  *type = thread_id_type();
  return kSuccess;
}

int cuptiFinalize() {
  flush();
  disable_all();
  return kSuccess;
}

}  // extern "C"
