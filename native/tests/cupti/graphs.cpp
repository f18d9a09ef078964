// What a profiler is told of a graph's work and of waiting.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../expect.h"
#include "cudart.h"
#include "cupti.h"

namespace {

constexpr int kMemset = 2, kRuntime = 5, kSynchronization = 38;
constexpr uint32_t kGraphLaunch = 311, kStreamSynchronize = 131, kEventSynchronize = 137;
constexpr uint32_t kNone = 0xffffffff;

struct Seen {
  int kind;
  uint32_t detail;  // function or kind of waiting
  uint32_t correlation, graph, stream, event;
  uint64_t node;
};
std::vector<Seen> seen;

template <typename T>
T field(const void* record, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(record) + offset, sizeof value);
  return value;
}

void read(const void* record) {
  Seen one{field<int>(record, 0), field<uint32_t>(record, 4), 0, 0, 0, 0, 0};
  if (one.kind == kRuntime) one.correlation = field<uint32_t>(record, 32);
  if (one.kind == kMemset) {
    one.correlation = field<uint32_t>(record, 44);
    one.node = field<uint64_t>(record, 64);
    one.graph = field<uint32_t>(record, 72);
  }
  if (one.kind == kSynchronization) {
    one.correlation = field<uint32_t>(record, 24);
    one.stream = field<uint32_t>(record, 32);
    one.event = field<uint32_t>(record, 36);
  }
  seen.push_back(one);
}

void on_request(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *bytes = 1 << 16;
  *buffer = static_cast<uint8_t*>(std::malloc(*bytes));
  *max_records = 0;
}

void on_complete(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  void* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) read(record);
  std::free(buffer);
}

std::vector<Seen> of(int kind) {
  std::vector<Seen> found;
  for (const Seen& one : seen) {
    if (one.kind == kind) found.push_back(one);
  }
  return found;
}

void* captured_memsets(void* stream, void* memory) {
  void *graph = nullptr, *exec = nullptr;
  CHECK(cudaStreamBeginCapture(stream, 0) == 0);
  CHECK(cudaMemsetAsync(memory, 0, 256, stream) == 0);
  CHECK(cudaMemsetAsync(memory, 0, 256, stream) == 0);
  CHECK(cudaStreamEndCapture(stream, &graph) == 0);
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0) == 0);
  return exec;
}

}  // namespace

int main() {
  CHECK(cuptiActivityRegisterCallbacks(reinterpret_cast<void*>(on_request),
                                       reinterpret_cast<void*>(on_complete)) == 0);
  for (int kind : {kMemset, kRuntime, kSynchronization}) CHECK(cuptiActivityEnable(kind) == 0);
  void *stream = nullptr, *memory = nullptr, *event = nullptr;
  CHECK(cudaMalloc(&memory, 256) == 0);
  CHECK(cudaStreamCreate(&stream) == 0);
  CHECK(cudaEventCreate(&event) == 0);
  void* exec = captured_memsets(stream, memory);
  CHECK(cudaGraphLaunch(exec, stream) == 0);
  CHECK(cudaGraphLaunch(exec, stream) == 0);
  CHECK(cudaEventRecord(event, stream) == 0);
  CHECK(cudaEventSynchronize(event) == 0);
  CHECK(cudaStreamSynchronize(stream) == 0);
  CHECK(cuptiActivityFlushAll(1) == 0);

  std::vector<Seen> calls = of(kRuntime), work = of(kMemset), waits = of(kSynchronization);
  CHECK(calls.size() == 4 && work.size() == 4 && waits.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(calls[i].detail == kGraphLaunch);
    for (size_t node : {0, 1}) {
      const Seen& one = work[2 * i + node];
      CHECK(one.correlation == calls[i].correlation && one.graph != 0 && one.node == node + 1);
    }
  }
  CHECK(calls[2].detail == kEventSynchronize && waits[0].detail == 1 && waits[0].event != kNone);
  CHECK(calls[3].detail == kStreamSynchronize && waits[1].detail == 3 && waits[1].stream != kNone);
  CHECK(waits[0].correlation == calls[2].correlation && waits[1].event == kNone);
  return 0;
}
