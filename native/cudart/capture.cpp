// Stream capture.
#include "gen/cudart.h"
#include "maya/graph.h"
#include "status.h"

using namespace maya;

namespace {

int begin(void* handle, int mode, Graph* into, bool per_thread) {
  Call call;
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  // The legacy stream orders itself against all others and cannot be captured.
  if (value == 1 || (value == 0 && !per_thread)) return fail(kStreamCaptureUnsupported);
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (mode < 0 || mode > 2) return fail(kInvalidValue);
  return check(begin_capture(*on.stream, mode, into), kInvalidValue);
}

int end(void* handle, void** graph, bool per_thread) {
  Call call;
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (!graph) return fail(kInvalidValue);
  *graph = nullptr;
  if (!on.stream->capture) return fail(kInvalidValue);
  if (on.stream->capture->origin != on.stream) return fail(kStreamCaptureUnmatched);
  *graph = end_capture(*on.stream);
  return check(*graph != nullptr, kStreamCaptureInvalidated);
}

int status(void* handle, int* out, unsigned long long* id, void** graph, void* const** dependencies,
           const void** edges, size_t* count, bool per_thread) {
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (!out) return fail(kInvalidValue);
  *out = static_cast<int>(capture_status(*on.stream));
  CaptureSession* session = on.stream->capture;
  if (!session) return kSuccess;
  if (id) *id = session->id;
  if (graph) *graph = session->graph;
  if (edges) *edges = nullptr;
  if (count) *count = on.stream->capture_tail.size();
  if (dependencies) {
    // Valid until the next call that touches the stream, as documented.
    thread_local std::vector<void*> nodes;
    nodes.clear();
    for (size_t index : on.stream->capture_tail) nodes.push_back(session->graph->nodes[index]);
    *dependencies = nodes.data();
  }
  return kSuccess;
}

int update_dependencies(void* handle, void** dependencies, size_t count, unsigned flags, bool per_thread) {
  StreamArgument on = stream_argument(handle, per_thread);
  if (!on.stream) return on.error;
  if (!on.stream->capture) return fail(kInvalidValue);
  if (flags == 1) on.stream->capture_tail.clear();  // set rather than add
  for (size_t i = 0; i < count; ++i) {
    Node* node = find_node(dependencies[i]);
    if (!node) return fail(kInvalidValue);
    on.stream->capture_tail.push_back(node->index);
  }
  return kSuccess;
}

}  // namespace

int cudaStreamBeginCapture(void* stream, int mode) {
  return begin(stream, mode, nullptr, false);
}
int cudaStreamBeginCapture_ptsz(void* stream, int mode) {
  return begin(stream, mode, nullptr, true);
}
int cudaStreamEndCapture(void* stream, void** graph) {
  return end(stream, graph, false);
}
int cudaStreamEndCapture_ptsz(void* stream, void** graph) {
  return end(stream, graph, true);
}

int cudaStreamBeginCaptureToGraph(void* stream, void* graph, void* const* dependencies, const void*,
                                  size_t count, int mode) {
  Graph* into = find_graph(graph);
  if (!into) return fail(kInvalidValue);
  if (int error = begin(stream, mode, into, false)) return error;
  return update_dependencies(stream, const_cast<void**>(dependencies), count, 0, false);
}

int cudaStreamIsCapturing(void* stream, int* out) {
  return status(stream, out, nullptr, nullptr, nullptr, nullptr, nullptr, false);
}
int cudaStreamIsCapturing_ptsz(void* stream, int* out) {
  return status(stream, out, nullptr, nullptr, nullptr, nullptr, nullptr, true);
}

#if MAYA_CUDA_MAJOR == 12
int cudaStreamGetCaptureInfo_v2(void* stream, int* out, unsigned long long* id, void** graph,
                                void* const** dependencies, size_t* count) {
  return status(stream, out, id, graph, dependencies, nullptr, count, false);
}
int cudaStreamGetCaptureInfo_v3(void* stream, int* out, unsigned long long* id, void** graph,
                                void* const** dependencies, const void** edges, size_t* count) {
  return status(stream, out, id, graph, dependencies, edges, count, false);
}
int cudaStreamUpdateCaptureDependencies(void* stream, void** dependencies, size_t count, unsigned int flags) {
  return update_dependencies(stream, dependencies, count, flags, false);
}
int cudaStreamUpdateCaptureDependencies_v2(void* stream, void** dependencies, const void*, size_t count,
                                           unsigned int flags) {
  return update_dependencies(stream, dependencies, count, flags, false);
}
#else
int cudaStreamGetCaptureInfo(void* stream, int* out, unsigned long long* id, void** graph,
                             void* const** dependencies, const void** edges, size_t* count) {
  return status(stream, out, id, graph, dependencies, edges, count, false);
}
int cudaStreamUpdateCaptureDependencies(void* stream, void** dependencies, const void*, size_t count,
                                        unsigned int flags) {
  return update_dependencies(stream, dependencies, count, flags, false);
}
#endif

int cudaThreadExchangeStreamCaptureMode(int* mode) {
  if (!mode || *mode < 0 || *mode > 2) return fail(kInvalidValue);
  *mode = exchange_capture_mode(*mode);
  return kSuccess;
}
