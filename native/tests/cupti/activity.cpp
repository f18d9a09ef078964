// Activity records of copies and memsets: order, correlation, external ids, buffers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "../expect.h"
#include "cudart.h"
#include "cupti.h"

namespace {

constexpr int kMemcpy = 1, kMemset = 2, kRuntime = 5, kExternal = 39;
constexpr size_t kBufferBytes = 1024;  // a few records, so that several buffers are needed

struct Seen {
  int kind;
  uint32_t correlation;
  uint64_t start, end, bytes, external;
};
std::vector<Seen> seen;
int requested, completed;

template <typename T>
T field(const void* record, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(record) + offset, sizeof value);
  return value;
}

void read(const void* record) {
  Seen one{field<int>(record, 0), 0, 0, 0, 0, 0};
  if (one.kind == kExternal) {
    one.external = field<uint64_t>(record, 8);
    one.correlation = field<uint32_t>(record, 16);
  } else if (one.kind == kRuntime) {
    one.start = field<uint64_t>(record, 8);
    one.end = field<uint64_t>(record, 16);
    one.correlation = field<uint32_t>(record, 32);
  } else {
    one.bytes = field<uint64_t>(record, 8);
    one.start = field<uint64_t>(record, 16);
    one.end = field<uint64_t>(record, 24);
    one.correlation = field<uint32_t>(record, 44);
  }
  seen.push_back(one);
}

void on_request(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  ++requested;
  *buffer = static_cast<uint8_t*>(std::malloc(kBufferBytes));
  *bytes = kBufferBytes;
  *max_records = 0;
}

void on_complete(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  ++completed;
  void* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) read(record);
  std::free(buffer);
}

void check_records() {
  std::map<uint32_t, std::vector<Seen>> by_correlation;
  for (const Seen& one : seen) by_correlation[one.correlation].push_back(one);
  CHECK(by_correlation.size() == 20);
  uint64_t previous_end = 0;
  for (auto& [correlation, records] : by_correlation) {
    CHECK(correlation != 0 && records.size() == 3);
    CHECK(records[0].kind == kExternal && records[0].external == 7);
    CHECK(records[1].kind == kRuntime && records[1].start < records[1].end);
    CHECK(records[2].kind == kMemcpy || records[2].kind == kMemset);
    CHECK(records[2].start >= records[1].end && records[2].end > records[2].start);
    CHECK(records[2].bytes == 400);
    CHECK(records[2].start >= previous_end);
    previous_end = records[2].end;
  }
}

}  // namespace

int main() {
  uint32_t version = 0;
  CHECK(cuptiGetVersion(&version) == 0 && version >= 26);
  CHECK(cuptiActivityRegisterCallbacks(reinterpret_cast<void*>(on_request),
                                       reinterpret_cast<void*>(on_complete)) == 0);
  for (int kind : {kMemcpy, kMemset, kRuntime, kExternal}) CHECK(cuptiActivityEnable(kind) == 0);
  CHECK(cuptiActivityEnable(-1) == 21);
  CHECK(cuptiActivityPushExternalCorrelationId(3, 7) == 0);
  uint64_t before = 0, after = 0, id = 0;
  CHECK(cuptiGetTimestamp(&before) == 0);
  char host[400] = {};
  void* device = nullptr;
  CHECK(cudaMalloc(&device, sizeof host) == 0);
  for (int i = 0; i < 10; ++i) {
    CHECK(cudaMemcpyAsync(device, host, sizeof host, 1, nullptr) == 0);
    CHECK(cudaMemsetAsync(device, 0, sizeof host, nullptr) == 0);
  }
  CHECK(cuptiActivityPopExternalCorrelationId(3, &id) == 0 && id == 7);
  CHECK(cuptiActivityPopExternalCorrelationId(3, &id) == 18);
  CHECK(cuptiActivityFlushAll(1) == 0);
  CHECK(cuptiGetTimestamp(&after) == 0);
  CHECK(requested == completed && requested > 1);
  check_records();
  CHECK(seen.front().start == 0 && seen[1].start >= before - 1000000 && seen[1].end <= after);
  for (int kind : {kMemcpy, kMemset, kRuntime, kExternal}) CHECK(cuptiActivityDisable(kind) == 0);
  CHECK(cudaMemsetAsync(device, 0, sizeof host, nullptr) == 0);
  CHECK(cuptiActivityFlushAll(1) == 0 && requested == completed);

  void *subscriber = nullptr, *second = nullptr;
  const char* name = nullptr;
  CHECK(cuptiSubscribe(&subscriber, nullptr, nullptr) == 0);
  CHECK(cuptiSubscribe(&second, nullptr, nullptr) == 39);
  CHECK(cuptiEnableDomain(1, subscriber, 2) == 0);
  CHECK(cuptiUnsubscribe(subscriber) == 0);
  CHECK(cuptiGetResultString(1, &name) == 0 && std::strcmp(name, "CUPTI_ERROR_INVALID_PARAMETER") == 0);
  CHECK(cuptiGetCallbackName(2, 211, &name) == 0 && std::strcmp(name, "cudaLaunchKernel_v7000") == 0);
  return 0;
}
