// What the device was asked to do, written down. See docs/capture.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#define MAYA_EXPORT __attribute__((visibility("default")))
// Weak generated bodies live in sections of their own, so that the finished binary itself tells which
// functions are implemented, recorded or unsupported.
#define MAYA_RECORDED MAYA_EXPORT __attribute__((weak, section("maya_recorded")))
#define MAYA_UNSUPPORTED MAYA_EXPORT __attribute__((weak, section("maya_unsupported")))

namespace maya {

enum class Kind : uint32_t {
  kernel = 1,
  library,
  copy,
  memset,
  alloc,
  free,
  event_record,
  event_wait,
  stream,
  sync,
  host_call,
  collective,
  group,
  graph,
  range,
  function,
  unsupported,
  value_read,
  graph_node,
  step,
  comm,
  info,
  thread,
  value_policy,
  feed,
};

enum class Library : uint8_t {
  cudart,
  cuda,
  cublas,
  cublasLt,
  cudnn,
  nccl,
  nvml,
  cupti,
  nvrtc,
  cufft,
  curand,
  cusolver,
  cusparse,
  cusparseLt,
  cufile,
  nvshmem,
  nvtx,
  nvjitlink,
};

// One kind of call and the names of its integer fields (a name ending in ":s" marks a string id).
// Always a constant-initialised static: thousands exist and none may cost anything at load time.
struct Schema {
  const char* name;
  Kind kind;
  const char* const* fields;
  uint32_t field_count;
  std::atomic<uint32_t> id{0};
};

struct Blob {
  const void* data = nullptr;
  size_t bytes = 0;
};

struct Stream;
using Values = std::initializer_list<int64_t>;

// Marks the moment the program entered the emulator: time from here on is ours, not the program's.
// Optional; the recorder assumes the moment of recording where a function does without.
struct MAYA_EXPORT Call {
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

// Device work, in the order of `stream`. While the stream is being captured the work becomes a node of
// the graph instead of an event. `values` must match the schema's fields.
MAYA_EXPORT void submit(Schema& schema, Values values, Stream& stream, uint64_t a = 0, uint64_t b = 0,
                        Blob blob = {});
// As above for values built at run time (cuDNN graphs, by-value arrays). The definition's number.
MAYA_EXPORT uint32_t submit(Schema& schema, const int64_t* values, size_t count, Stream& stream, uint64_t a,
                            uint64_t b, Blob blob = {});

// Something the host did that is no device work: allocation, synchronisation, group start.
// `stream_number` is 0 where no stream is concerned.
MAYA_EXPORT void note(Schema& schema, Values values, uint16_t stream_number = 0, uint64_t a = 0,
                      uint64_t b = 0);

// Writes a definition that no event refers to directly (a kernel's facts, a graph's nodes).
MAYA_EXPORT uint32_t define(Schema& schema, const int64_t* values, size_t count, Blob blob = {});

// The id of a string in the capture; equal strings give equal ids.
MAYA_EXPORT int64_t intern(const char* text);

MAYA_EXPORT bool recording();

// Free text worth telling the user in the summary; recorded once per distinct text.
MAYA_EXPORT void inform(const char* text);

// Body of the generated compute calls: finds the handle's stream and submits.
// Returns 0, or the library's "not initialised" status when the handle is unknown.
MAYA_EXPORT int record_library_call(Schema& schema, Library library, void* handle, Values values);

struct UnsupportedCall {
  const char* name;
  const char* library;
};

// Counts the call with the Python line it came from and returns `status`; under --strict ends the run.
MAYA_EXPORT int unsupported(UnsupportedCall& call, int status);

}  // namespace maya
