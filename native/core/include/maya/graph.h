// Stream capture and CUDA graphs: a graph is the list of definitions its launches repeat.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "maya/record.h"
#include "maya/runtime.h"
#include "maya/stream.h"

namespace maya {

struct Communicator;

enum class NodeType : int {  // numbers of cudaGraphNodeType
  kernel = 0,
  memcpy = 1,
  memset = 2,
  host = 3,
  graph = 4,
  empty = 5,
  wait_event = 6,
  event_record = 7,
  mem_alloc = 10,
  mem_free = 11,
};

// What a node does to the values on the device, each time that its graph is launched.
using Effect = std::function<void()>;

struct Node {
  Graph* graph = nullptr;
  size_t index = 0;
  NodeType type = NodeType::empty;
  uint32_t definition = 0;  // 0 for nodes without device work
  uint16_t stream = 0;
  bool updates_weights = false;  // for the step detector
  std::vector<size_t> depends_on;
  Activity activity{};  // what a profiler is told; without kind where there is nothing to tell
  Graph* child = nullptr;
  std::vector<Effect> effects;
  std::shared_ptr<Communicator> meets;  // of a collective: whose members it meets
  std::vector<char> params;  // whatever the API layer wants to give back; of a host node, HostFunction first
};

struct HostFunction {
  void (*function)(void*);
  void* user_data;
};

using HeldObjects = std::map<void*, unsigned>;  // user objects and how many references

struct Graph {
  uint64_t id = 0;
  HeldObjects held;
  std::vector<Node*> nodes;  // owned
};

struct GraphExec {
  uint64_t id = 0;
  uint64_t flags = 0;
  HeldObjects held;
  int device = 0;  // and the context that it ends with
  uint64_t context = 0;
  bool defined = false;     // nodes written to the capture
  std::vector<Node> nodes;  // a copy: the graph may be destroyed
  // Where the graph holds others: the first node here of each of its nodes, and the end. Else empty.
  std::vector<size_t> places;
};

struct CaptureSession {
  uint64_t id = 0;
  int mode = 0;
  Graph* graph = nullptr;
  Stream* origin = nullptr;
  bool invalidated = false;
  std::vector<Stream*> streams;
  std::vector<Effect> effects;  // of the node that comes next
};

enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

MAYA_EXPORT bool begin_capture(Stream& stream, int mode, Graph* into = nullptr);
// nullptr when the capture was invalidated (the session is over all the same).
MAYA_EXPORT Graph* end_capture(Stream& stream);
MAYA_EXPORT CaptureStatus capture_status(const Stream& stream);
// Some capture is under way that forbids unsafe calls (cudaMalloc in global mode) from this thread.
MAYA_EXPORT bool capture_forbids_unsafe_calls();
MAYA_EXPORT void invalidate_capture(Stream& stream);
bool is_capturing();  // any stream
// Work that is being captured has this effect, but not yet. The second form: of a library's work, whose
// stream is not told.
void postpone(Stream& stream, Effect effect);
void postpone(const Effect& effect);
std::vector<Effect> take_postponed(CaptureSession& session);
// The legacy default stream is being used: captures of streams that synchronise with it become invalid. True
// when there were any, and then the call that used it fails.
MAYA_EXPORT bool spoil_blocking_captures();
// The thread's capture mode, exchanged as cudaThreadExchangeStreamCaptureMode does.
MAYA_EXPORT int exchange_capture_mode(int mode);

MAYA_EXPORT Graph* create_graph();
MAYA_EXPORT bool destroy_graph(void* graph);
MAYA_EXPORT Graph* find_graph(void* handle);
MAYA_EXPORT Node* add_node(Graph& graph, NodeType type, uint32_t definition,
                           const std::vector<size_t>& depends_on);
MAYA_EXPORT void keep_host_function(Node& node, void (*function)(void*), void* user_data);
MAYA_EXPORT Node* find_node(void* handle);
MAYA_EXPORT GraphExec* instantiate(Graph& graph, uint64_t flags);
MAYA_EXPORT bool update_exec(GraphExec& exec, Graph& graph);
MAYA_EXPORT GraphExec* find_exec(void* handle);
MAYA_EXPORT bool destroy_exec(void* handle);
// What was instantiated in a context ends with it; graphs themselves belong to none.
void release_context_graphs(int device, uint64_t context);
// Host functions are the host's work: they really run, here and now.
MAYA_EXPORT void launch_graph(GraphExec& exec, Stream& stream);

}  // namespace maya
