#include "maya/graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "activity.h"
#include "hash.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/user_objects.h"
#include "recorder.h"
#include "registry.h"
#include "submit.h"
#include "virtual/clock_link.h"
#include "virtual/timeline.h"

namespace maya {
namespace {

struct Graphs {
  Registry<Graph> graphs;
  Registry<Node> nodes;
  Registry<GraphExec> execs;
  std::mutex lock;
  std::vector<CaptureSession*> sessions;
  std::atomic<size_t> session_count{0};  // read on every launch, without the lock
  std::atomic<uint64_t> next_id{1};
};

Graphs& graphs() {
  static Graphs* instance = new Graphs;
  return *instance;
}

constexpr int kGlobalMode = 0;
constexpr int kRelaxedMode = 2;
thread_local int thread_capture_mode = kGlobalMode;

void leave_capture(CaptureSession& session) {
  for (Stream* stream : session.streams) {
    stream->capture = nullptr;
    stream->capture_tail.clear();
  }
}

// Written when first launched, one definition a node: fields graph, index, def, stream, then dependencies.
void define_nodes(GraphExec& exec) {
  static const char* const fields[] = {"graph", "index", "def", "stream", "type"};
  static Schema schema{"graph_node", Kind::graph_node, fields, 5};
  for (const Node& node : exec.nodes) {
    std::vector<int64_t> values = {static_cast<int64_t>(exec.id), static_cast<int64_t>(node.index),
                                   node.definition, node.stream, static_cast<int64_t>(node.type)};
    for (size_t index : node.depends_on) values.push_back(static_cast<int64_t>(index));
    define(schema, values.data(), values.size());
  }
  exec.defined = true;
}

void append(std::vector<Effect>& effects, std::vector<Effect> more) {
  effects.insert(effects.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void copy_nodes(const Graph& graph, GraphExec& exec) {
  exec.nodes.clear();
  for (const Node* node : graph.nodes) exec.nodes.push_back(*node);
  exec.defined = false;
}

}  // namespace

bool begin_capture(Stream& stream, int mode, Graph* into) {
  if (stream.capture) return false;
  auto* session = new CaptureSession;
  Graphs& all = graphs();
  session->id = all.next_id++;
  session->mode = mode;
  session->graph = into ? into : create_graph();
  session->origin = &stream;
  session->streams.push_back(&stream);
  stream.capture = session;
  stream.capture_tail.clear();
  std::lock_guard<std::mutex> guard(all.lock);
  all.sessions.push_back(session);
  all.session_count = all.sessions.size();
  return true;
}

Graph* end_capture(Stream& stream) {
  CaptureSession* session = stream.capture;
  Graphs& all = graphs();
  {
    std::lock_guard<std::mutex> guard(all.lock);
    all.sessions.erase(std::remove(all.sessions.begin(), all.sessions.end(), session), all.sessions.end());
    all.session_count = all.sessions.size();
  }
  leave_capture(*session);
  Graph* graph = session->graph;
  if (!graph->nodes.empty()) append(graph->nodes.back()->effects, take_postponed(*session));
  if (session->invalidated) {
    destroy_graph(graph);
    graph = nullptr;
  }
  delete session;
  return graph;
}

CaptureStatus capture_status(const Stream& stream) {
  if (!stream.capture) return CaptureStatus::none;
  return stream.capture->invalidated ? CaptureStatus::invalidated : CaptureStatus::active;
}

bool capture_forbids_unsafe_calls() {
  if (thread_capture_mode == kRelaxedMode) return false;
  Graphs& all = graphs();
  std::lock_guard<std::mutex> guard(all.lock);
  for (const CaptureSession* session : all.sessions) {
    if (session->mode == kGlobalMode) return true;
  }
  return false;
}

// Work on the legacy stream waits for all blocking streams, captured ones too: that cannot be.
bool spoil_blocking_captures() {
  constexpr unsigned kNonBlocking = 1;
  Graphs& all = graphs();
  if (all.session_count == 0) return false;
  std::lock_guard<std::mutex> guard(all.lock);
  bool spoiled = false;
  for (CaptureSession* session : all.sessions) {
    for (const Stream* stream : session->streams) {
      if (stream->flags & kNonBlocking) continue;
      session->invalidated = true;
      spoiled = true;
    }
  }
  return spoiled;
}

void invalidate_capture(Stream& stream) {
  if (stream.capture) stream.capture->invalidated = true;
}

void postpone(Stream& stream, Effect effect) {
  std::lock_guard<std::mutex> guard(graphs().lock);
  stream.capture->effects.push_back(std::move(effect));
}

bool is_capturing() {
  return graphs().session_count.load(std::memory_order_relaxed) != 0;
}

void postpone(const Effect& effect) {
  Graphs& all = graphs();
  std::lock_guard<std::mutex> guard(all.lock);
  for (CaptureSession* session : all.sessions) session->effects.push_back(effect);
}

std::vector<Effect> take_postponed(CaptureSession& session) {
  std::lock_guard<std::mutex> guard(graphs().lock);
  return std::exchange(session.effects, {});
}

int exchange_capture_mode(int mode) {
  int previous = thread_capture_mode;
  thread_capture_mode = mode;
  return previous;
}

bool join_capture(Stream& stream, Event& event) {
  CaptureSession* session = event.capture;
  if (stream.capture && stream.capture != session) return false;
  if (!stream.capture) {
    stream.capture = session;
    stream.capture_tail.clear();
    session->streams.push_back(&stream);
  }
  for (size_t node : event.capture_nodes) {
    auto& tail = stream.capture_tail;
    if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
  }
  return true;
}

Graph* create_graph() {
  auto graph = std::make_unique<Graph>();
  graph->id = graphs().next_id++;
  return graphs().graphs.add(std::move(graph));
}

Graph* find_graph(void* handle) {
  return graphs().graphs.find(handle);
}

bool destroy_graph(void* handle) {
  std::unique_ptr<Graph> graph = graphs().graphs.remove(handle);
  if (!graph) return false;
  for (Node* node : graph->nodes) graphs().nodes.remove(node);
  release_all(graph->held);
  return true;
}

Node* add_node(Graph& graph, NodeType type, uint32_t definition, const std::vector<size_t>& depends_on) {
  auto node = std::make_unique<Node>();
  node->graph = &graph;
  node->index = graph.nodes.size();
  node->type = type;
  node->definition = definition;
  node->depends_on = depends_on;
  Node* raw = graphs().nodes.add(std::move(node));
  graph.nodes.push_back(raw);
  return raw;
}

void keep_host_function(Node& node, void (*function)(void*), void* user_data) {
  HostFunction kept{function, user_data};
  const char* bytes = reinterpret_cast<const char*>(&kept);
  node.params.assign(bytes, bytes + sizeof kept);
}

Node* find_node(void* handle) {
  return graphs().nodes.find(handle);
}

GraphExec* instantiate(Graph& graph, uint64_t flags) {
  auto exec = std::make_unique<GraphExec>();
  exec->id = graphs().next_id++;
  exec->flags = flags;
  exec->device = current_device();
  exec->context = owning_context(exec->device);
  copy_nodes(graph, *exec);
  exec->held = graph.held;
  retain_all(exec->held);
  return graphs().execs.add(std::move(exec));
}

// The topology must be the same; the nodes' work may differ.
bool update_exec(GraphExec& exec, Graph& graph) {
  if (exec.nodes.size() != graph.nodes.size()) return false;
  for (size_t i = 0; i < exec.nodes.size(); ++i) {
    if (exec.nodes[i].type != graph.nodes[i]->type) return false;
    if (exec.nodes[i].depends_on != graph.nodes[i]->depends_on) return false;
  }
  exec.id = graphs().next_id++;
  copy_nodes(graph, exec);
  return true;
}

GraphExec* find_exec(void* handle) {
  return graphs().execs.find(handle);
}
bool destroy_exec(void* handle) {
  std::unique_ptr<GraphExec> exec = graphs().execs.remove(handle);
  if (!exec) return false;
  release_all(exec->held);
  return true;
}

void release_context_graphs(int device, uint64_t context) {
  auto owned = [&](const GraphExec& exec) { return exec.device == device && exec.context == context; };
  for (GraphExec* exec : graphs().execs.select(owned)) destroy_exec(exec);
}

namespace {
// Values change in the order of the nodes, in which they were captured.
void run_effects(const GraphExec& exec) {
  for (const Node& node : exec.nodes) {
    for (const Effect& effect : node.effects) effect();
  }
}

// Launched into a capture, a graph is part of another one.
void apply_effects(const GraphExec& exec, Stream& stream) {
  if (!stream.capture) return run_effects(exec);
  for (const Node& node : exec.nodes) {
    for (const Effect& effect : node.effects) postpone(stream, effect);
  }
}

void run_host_functions(const GraphExec& exec) {
  for (const Node& node : exec.nodes) {
    if (node.type != NodeType::host || node.params.size() < sizeof(HostFunction)) continue;
    HostFunction kept;
    std::memcpy(&kept, node.params.data(), sizeof kept);
    kept.function(kept.user_data);
  }
}
}  // namespace

namespace {
// `spans`: of each node, in virtual time; none in a run with the real clock.
void report_nodes(const GraphExec& exec, const Stream& stream, uint32_t correlation,
                  const std::vector<Span>& spans) {
  for (const Node& node : exec.nodes) {
    if (node.activity.kind == Kind{}) continue;
    Activity activity = node.activity;
    activity.device = stream.device;
    activity.stream = stream.number;
    activity.graph = static_cast<uint32_t>(exec.id);
    activity.graph_node = node.index + 1;
    report_graph_work(activity, correlation, node.index < spans.size() ? spans[node.index] : Span{});
  }
}
}  // namespace

void launch_graph(GraphExec& exec, Stream& stream) {
  static const char* const fields[] = {"what:s", "graph", "nodes"};
  static Schema schema{"graph_launch", Kind::graph, fields, 3};
  if (!exec.defined) define_nodes(exec);
  apply_effects(exec, stream);
  int64_t values[] = {intern("launch"), static_cast<int64_t>(exec.id),
                      static_cast<int64_t>(exec.nodes.size())};
  uint32_t definition = definition_of(schema, values, 3, {}, nullptr);
  bool trains = std::any_of(exec.nodes.begin(), exec.nodes.end(),
                            [](const Node& node) { return node.updates_weights; });
  WorkKey key{mix(definition, 1), mix(exec.nodes.size(), 4)};
  key.amount = exec.nodes.size();
  key.whole_step = trains;
  uint32_t correlation = submit_definition(schema, definition, values, 3, stream, exec.id, 0, key, nullptr);
  std::vector<Span> spans;
  if (virtual_clock && !stream.capture) spans = run_graph(stream, exec);
  if (correlation) report_nodes(exec, stream, correlation, spans);
  if (!stream.capture) run_host_functions(exec);
}

}  // namespace maya
