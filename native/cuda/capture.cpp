// Stream capture.
#include "graph_nodes.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr unsigned kSetDependencies = 1;

// The legacy default stream synchronises with all others and cannot be captured.
bool is_legacy(void* handle) {
  return reinterpret_cast<uintptr_t>(handle) <= 1;
}

int begin(void* handle, int mode, Graph* into) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (mode < 0 || mode > 2) return kInvalidValue;
  if (is_legacy(handle)) return kStreamCaptureUnsupported;
  return begin_capture(*stream, mode, into) ? kSuccess : kIllegalState;
}

// The nodes the next one would depend on. The driver owns the array that it hands out, until the next call.
void* const* tail_of(const Stream& stream) {
  thread_local std::vector<void*> nodes;
  nodes.clear();
  for (size_t index : stream.capture_tail) nodes.push_back(stream.capture->graph->nodes[index]);
  return nodes.data();
}

}  // namespace

extern "C" {

int cuStreamBeginCapture_v2(void* stream, int mode) {
  return begin(stream, mode, nullptr);
}
int cuStreamBeginCapture(void* stream) {
  return begin(stream, 0, nullptr);
}

int cuStreamBeginCaptureToGraph(void* handle, void* graph_handle, void* const* dependencies, const void*,
                                size_t count, int mode) {
  Graph* graph = find_graph(graph_handle);
  std::vector<size_t> tail;
  if (!graph || !read_dependencies(*graph, dependencies, count, &tail)) return kInvalidValue;
  if (int status = begin(handle, mode, graph)) return status;
  find_stream(handle)->capture_tail = tail;
  return kSuccess;
}

int cuStreamEndCapture(void* handle, void** graph) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!graph) return kInvalidValue;
  if (!stream->capture) return kIllegalState;
  if (stream->capture->origin != stream) return kStreamCaptureUnmatched;
  *graph = end_capture(*stream);
  return *graph ? kSuccess : kStreamCaptureInvalidated;
}

int cuStreamIsCapturing(void* handle, int* status_out) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!status_out) return kInvalidValue;
  *status_out = static_cast<int>(capture_status(*stream));
  return kSuccess;
}

int cuStreamGetCaptureInfo_v3(void* handle, int* status_out, unsigned long* id, void** graph,
                              void* const** nodes, const void** edges, size_t* count) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!status_out) return kInvalidValue;
  *status_out = static_cast<int>(capture_status(*stream));
  if (edges) *edges = nullptr;
  if (!stream->capture) return kSuccess;
  if (id) *id = stream->capture->id;
  if (graph) *graph = stream->capture->graph;
  if (nodes) *nodes = tail_of(*stream);
  if (count) *count = stream->capture_tail.size();
  return kSuccess;
}

int cuStreamGetCaptureInfo_v2(void* stream, int* status_out, unsigned long* id, void** graph,
                              void* const** nodes, size_t* count) {
  return cuStreamGetCaptureInfo_v3(stream, status_out, id, graph, nodes, nullptr, count);
}

int cuStreamGetCaptureInfo(void* stream, int* status_out, unsigned long* id) {
  return cuStreamGetCaptureInfo_v3(stream, status_out, id, nullptr, nullptr, nullptr, nullptr);
}

int cuStreamUpdateCaptureDependencies(void* handle, void** nodes, size_t count, unsigned int flags) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!stream->capture) return kIllegalState;
  std::vector<size_t> tail;
  if (!read_dependencies(*stream->capture->graph, nodes, count, &tail)) return kInvalidValue;
  if (flags & kSetDependencies) stream->capture_tail.clear();
  stream->capture_tail.insert(stream->capture_tail.end(), tail.begin(), tail.end());
  return kSuccess;
}

int cuStreamUpdateCaptureDependencies_v2(void* stream, void** nodes, const void*, size_t count,
                                         unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  if (int status = require_driver()) return status;
  if (!mode || *mode < 0 || *mode > 2) return kInvalidValue;
  *mode = exchange_capture_mode(*mode);
  return kSuccess;
}

}  // extern "C"
