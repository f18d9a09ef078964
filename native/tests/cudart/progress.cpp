// When work counts as done.
#include "../../cudart/status.h"
#include "../expect.h"
#include "cudart.h"

using namespace maya;

namespace {

// Work of one piece on a stream.
void work_on(void* stream) {
  static void* block = nullptr;
  if (!block) EXPECT(kSuccess, cudaMalloc(&block, 256));
  EXPECT(kSuccess, cudaMemsetAsync(block, 0, 256, stream));
}

void events_are_pending_until_the_host_has_waited() {
  void *event = nullptr, *stream = nullptr;
  EXPECT(kSuccess, cudaEventCreate(&event));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&stream, 1));
  EXPECT(kSuccess, cudaEventRecord(event, stream));
  EXPECT(kSuccess, cudaEventQuery(event));  // nothing stands before it
  work_on(stream);
  EXPECT(kSuccess, cudaEventRecord(event, stream));
  float ms = -1;
  EXPECT(kNotReady, cudaEventElapsedTime(&ms, event, event));
  EXPECT(kNotReady, cudaEventQuery(event));
  EXPECT(kNotReady, cudaGetLastError());
  EXPECT(kNotReady, cudaStreamQuery(stream));
  EXPECT(kSuccess, cudaStreamSynchronize(stream));
  EXPECT(kSuccess, cudaEventQuery(event));
  EXPECT(kSuccess, cudaStreamQuery(stream));
  EXPECT(kSuccess, cudaEventElapsedTime(&ms, event, event));
}

void waiting_for_a_stream_is_waiting_for_what_it_waited_for() {
  void *first = nullptr, *second = nullptr, *other = nullptr, *stream = nullptr;
  EXPECT(kSuccess, cudaEventCreate(&first));
  EXPECT(kSuccess, cudaEventCreate(&second));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&stream, 1));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&other, 1));
  work_on(stream);
  EXPECT(kSuccess, cudaEventRecord(first, stream));
  EXPECT(kSuccess, cudaStreamWaitEvent(other, first, 0));
  EXPECT(kSuccess, cudaEventRecord(second, other));
  work_on(stream);
  EXPECT(kNotReady, cudaEventQuery(second));
  EXPECT(kSuccess, cudaStreamSynchronize(other));
  EXPECT(kSuccess, cudaEventQuery(first));
  EXPECT(kNotReady, cudaStreamQuery(stream));  // its second piece of work
}

void a_poller_comes_to_an_end() {
  void *event = nullptr, *other = nullptr;
  EXPECT(kSuccess, cudaEventCreate(&event));
  work_on(nullptr);
  EXPECT(kSuccess, cudaEventRecord(event, nullptr));
  EXPECT(kNotReady, cudaEventQuery(event));
  EXPECT(kNotReady, cudaEventQuery(event));
  EXPECT(kSuccess, cudaEventQuery(event));
  work_on(nullptr);
  EXPECT(kSuccess, cudaEventRecord(event, nullptr));
  EXPECT(kSuccess, cudaStreamCreateWithFlags(&other, 1));
  for (int i = 0; i < 1023; ++i) {
    work_on(other);
    EXPECT(kNotReady, cudaEventQuery(event));
  }
  work_on(other);
  EXPECT(kSuccess, cudaEventQuery(event));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"events_are_pending_until_the_host_has_waited", events_are_pending_until_the_host_has_waited},
          {"waiting_for_a_stream_is_waiting_for_what_it_waited_for",
           waiting_for_a_stream_is_waiting_for_what_it_waited_for},
          {"a_poller_comes_to_an_end", a_poller_comes_to_an_end},
      },
      count, arguments);
}
