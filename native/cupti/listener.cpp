#include "listener.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "clock.h"
#include "constants.h"
#include "kernel_names.h"
#include "maya/values.h"
#include "records.h"
#include "session.h"

namespace maya::cupti {
namespace {

// Nothing runs, so nothing takes time: a call is shown 400 ns long, device work 1 us, one after the other on
// its stream.
constexpr uint64_t kCallNs = 400;
constexpr uint64_t kWorkNs = 1000;

std::atomic<int> thread_ids{kPthreadId};
std::atomic<uint64_t> stream_busy_until[1 << 16];

struct Span {
  uint64_t start, end;
};

uint32_t this_thread() {
  if (thread_ids == kSystemThreadId) return static_cast<uint32_t>(syscall(SYS_gettid));
  return static_cast<uint32_t>(pthread_self());
}

Span next_on_stream(uint16_t stream, uint64_t earliest) {
  uint64_t length = clock_units(kWorkNs);
  uint64_t busy = stream_busy_until[stream].load();
  uint64_t start = earliest;
  do {
    start = busy > earliest ? busy : earliest;
  } while (!stream_busy_until[stream].compare_exchange_weak(busy, start + length));
  return {start, start + length};
}

// With the virtual clock the device's times are known, in nanoseconds.
Span span_of(const Activity& activity, uint64_t now) {
  if (activity.timed && counts_nanoseconds()) return {activity.start_ns, activity.end_ns};
  return next_on_stream(activity.stream, now);
}

int waiting_function(int wait) {
  switch (static_cast<WaitKind>(wait)) {
    case WaitKind::event:
      return kCudaEventSynchronize;
    case WaitKind::stream_for_event:
      return kCudaStreamWaitEvent;
    case WaitKind::stream:
      return kCudaStreamSynchronize;
    default:
      return kCudaDeviceSynchronize;
  }
}

int runtime_function(const Activity& activity) {
  switch (activity.kind) {
    case Kind::copy:
      return activity.direction == static_cast<int>(CopyDirection::peer) ? kCudaMemcpyPeerAsync
                                                                         : kCudaMemcpyAsync;
    case Kind::memset:
      return kCudaMemsetAsync;
    case Kind::graph:
      return kCudaGraphLaunch;
    case Kind::host_call:
      return kCudaLaunchHostFunc;
    case Kind::event_record:
      return kCudaEventRecord;
    case Kind::event_wait:
      return kCudaStreamWaitEvent;
    case Kind::sync:
      return waiting_function(activity.wait);
    default:
      return kCudaLaunchKernel;
  }
}

void write_external_ids(uint32_t correlation) {
  if (!enabled(kExternalCorrelation)) return;
  for (int kind = kFirstExternalKind; kind < kExternalKinds; ++kind) {
    ExternalCorrelationRecord record{kExternalCorrelation, kind, 0, correlation, 0};
    if (top_external(kind, &record.external_id)) write_record(&record, sizeof record);
  }
}

void write_call(const Activity& activity, uint64_t now) {
  if (!enabled(kRuntime)) return;
  ApiRecord record{kRuntime,
                   static_cast<uint32_t>(runtime_function(activity)),
                   now - clock_units(kCallNs),
                   now,
                   static_cast<uint32_t>(getpid()),
                   this_thread(),
                   activity.correlation,
                   0};
  write_record(&record, sizeof record);
}

void write_kernel(const Activity& activity, uint64_t now) {
  int kind = enabled(kConcurrentKernel) ? kConcurrentKernel : kKernel;
  if (!enabled(kind)) return;
  Span span = span_of(activity, now);
  KernelRecord record{};
  record.kind = kind;
  record.registers = static_cast<uint16_t>(activity.registers);
  record.start = span.start;
  record.end = record.completed = span.end;
  record.device = static_cast<uint32_t>(activity.device);
  record.context = context_id(activity.device);
  record.stream = stream_id(activity.stream);
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = activity.grid[i] ? static_cast<int32_t>(activity.grid[i]) : 1;
    record.block[i] = activity.block[i] ? static_cast<int32_t>(activity.block[i]) : 1;
  }
  record.static_shared = static_cast<int32_t>(activity.shared_static);
  record.dynamic_shared = static_cast<int32_t>(activity.shared_dynamic);
  record.correlation = activity.correlation;
  record.name = kernel_name(activity);
  record.graph = activity.graph;
  record.graph_node = activity.graph_node;
  write_record(&record, sizeof record);
}

struct Ends {
  uint8_t copy_kind, source, target;
};

Ends ends_of(int direction) {
  switch (static_cast<CopyDirection>(direction)) {
    case CopyDirection::host_to_device:
      return {kHostToDevice, kPageable, kDevice};
    case CopyDirection::device_to_host:
      return {kDeviceToHost, kDevice, kPageable};
    case CopyDirection::host_to_host:
      return {kHostToHost, kPageable, kPageable};
    case CopyDirection::peer:
      return {kPeerToPeer, kDevice, kDevice};
    default:
      return {kDeviceToDevice, kDevice, kDevice};
  }
}

void write_copy(const Activity& activity, uint64_t now) {
  if (!enabled(kMemcpy)) return;
  Span span = span_of(activity, now);
  Ends ends = ends_of(activity.direction);
  CopyRecord record{};
  record.kind = kMemcpy;
  record.copy_kind = ends.copy_kind;
  record.source_kind = ends.source;
  record.target_kind = ends.target;
  record.flags = kAsynchronous;
  record.bytes = activity.bytes;
  record.start = span.start;
  record.end = span.end;
  record.device = static_cast<uint32_t>(activity.device);
  record.context = context_id(activity.device);
  record.stream = stream_id(activity.stream);
  record.correlation = activity.correlation;
  record.graph = activity.graph;
  record.graph_node = activity.graph_node;
  record.copies = 1;
  write_record(&record, sizeof record);
}

void write_memset(const Activity& activity, uint64_t now) {
  if (!enabled(kMemset)) return;
  Span span = span_of(activity, now);
  MemsetRecord record{};
  record.kind = kMemset;
  record.value = activity.value;
  record.bytes = activity.bytes;
  record.start = span.start;
  record.end = span.end;
  record.device = static_cast<uint32_t>(activity.device);
  record.context = context_id(activity.device);
  record.stream = stream_id(activity.stream);
  record.correlation = activity.correlation;
  record.flags = kAsynchronous;
  record.memory_kind = kDevice;
  record.graph = activity.graph;
  record.graph_node = activity.graph_node;
  write_record(&record, sizeof record);
}

void write_wait(const Activity& activity, uint64_t now) {
  if (!enabled(kSynchronization)) return;
  SynchronizationRecord record{};
  record.kind = kSynchronization;
  record.type = activity.wait;
  record.start = now - clock_units(kCallNs);
  record.end = now;
  record.correlation = activity.correlation;
  record.context = context_id(activity.device);
  record.stream = activity.stream ? stream_id(activity.stream) : kNoStreamOrEvent;
  record.event = activity.event ? static_cast<uint32_t>(activity.event) : kNoStreamOrEvent;
  write_record(&record, sizeof record);
}

}  // namespace

uint32_t stream_id(uint16_t number) {
  return 6u + (number ? number : 1u);
}

uint32_t context_id(int device) {
  return static_cast<uint32_t>(device) + 1;
}

void set_thread_id_type(int type) {
  thread_ids = type;
}

int thread_id_type() {
  return thread_ids;
}

// The order matters to tools that read a buffer once: what a correlation id belongs to comes first.
void on_activity(const Activity& activity) {
  uint64_t now = timestamp();
  bool inside_graph = activity.graph != 0 && activity.kind != Kind::graph;
  if (!inside_graph) {
    write_external_ids(activity.correlation);
    write_call(activity, now);
  }
  switch (activity.kind) {
    case Kind::kernel:
    case Kind::library:
    case Kind::collective:
      return write_kernel(activity, now);
    case Kind::copy:
      return write_copy(activity, now);
    case Kind::memset:
      return write_memset(activity, now);
    case Kind::sync:
      return write_wait(activity, now);
    default:
      return;
  }
}

}  // namespace maya::cupti
