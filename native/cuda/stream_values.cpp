// Memory operations in stream order: writes really happen, waits are already satisfied.
#include "maya/memory.h"
#include "maya/values.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUstreamBatchMemOpType
enum Operation : int { kWait32 = 1, kWrite32 = 2, kFlush = 3, kWait64 = 4, kWrite64 = 5, kBarrier = 6 };

int write_value(void* handle, DevicePtr address, uint64_t value, size_t bytes) {
  static const char* const fields[] = {"bytes", "value", "element"};
  static Schema schema{"stream_write_value", Kind::memset, fields, 3};
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Allocation found;
  if (address % bytes || !find_allocation(pointer(address), &found)) return kInvalidValue;
  Call call;
  if (!stream->capture) poke(pointer(address), &value, bytes);
  submit(schema, {static_cast<int64_t>(bytes), static_cast<int64_t>(value), static_cast<int64_t>(bytes)},
         *stream, address);
  return kSuccess;
}

int wait_value(void* handle, DevicePtr address, uint64_t value, size_t bytes, unsigned flags) {
  static const char* const fields[] = {"bytes", "value", "flags"};
  static Schema schema{"stream_wait_value", Kind::library, fields, 3};
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  Allocation found;
  if (address % bytes || !find_allocation(pointer(address), &found)) return kInvalidValue;
  Call call;
  submit(schema, {static_cast<int64_t>(bytes), static_cast<int64_t>(value), flags}, *stream, address);
  return kSuccess;
}

int perform(void* stream, const StreamMemoryOp& op) {
  switch (op.operation) {
    case kWait32:
      return wait_value(stream, op.value.address, op.value.value & 0xffffffff, 4, op.value.flags);
    case kWait64:
      return wait_value(stream, op.value.address, op.value.value, 8, op.value.flags);
    case kWrite32:
      return write_value(stream, op.value.address, op.value.value & 0xffffffff, 4);
    case kWrite64:
      return write_value(stream, op.value.address, op.value.value, 8);
    case kFlush:
    case kBarrier:
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

}  // namespace

extern "C" {

int cuStreamWriteValue32_v2(void* stream, unsigned long long address, unsigned int value, unsigned int) {
  return write_value(stream, address, value, 4);
}

int cuStreamWriteValue64_v2(void* stream, unsigned long long address, unsigned long value, unsigned int) {
  return write_value(stream, address, value, 8);
}

int cuStreamWaitValue32_v2(void* stream, unsigned long long address, unsigned int value, unsigned int flags) {
  return wait_value(stream, address, value, 4, flags);
}

int cuStreamWaitValue64_v2(void* stream, unsigned long long address, unsigned long value,
                           unsigned int flags) {
  return wait_value(stream, address, value, 8, flags);
}

int cuStreamBatchMemOp_v2(void* stream, unsigned int count, void* operations, unsigned int) {
  if (count && !operations) return kInvalidValue;
  const auto* list = static_cast<const StreamMemoryOp*>(operations);
  for (unsigned i = 0; i < count; ++i) {
    if (int status = perform(stream, list[i])) return status;
  }
  return kSuccess;
}

}  // extern "C"
