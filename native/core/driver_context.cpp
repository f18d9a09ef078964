#include "maya/context.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "maya/device.h"
#include "maya/graph.h"
#include "maya/kernels.h"
#include "maya/library_memory.h"
#include "maya/memory.h"
#include "maya/pools.h"
#include "maya/stream.h"

namespace maya {
namespace {

std::atomic<bool> g_initialised{false};
std::atomic<uint64_t> g_next_id{1};

struct Table {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> primary;
  std::unordered_map<void*, std::unique_ptr<Context>> created;
};

// Leaked: other threads may still call us while the process exits.
Table& table() {
  static Table* instance = new Table;
  return *instance;
}

thread_local std::vector<Context*> t_stack;
thread_local bool t_uses_runtime = false;
thread_local Context* t_primary = nullptr;  // the last asked for: it lives as long as the process

bool any_context() {
  for (int device = 0; device < device_count(); ++device) {
    if (has_context(device)) return true;
  }
  return false;
}

void release_context(int device, uint64_t context) {
  release_context_graphs(device, context);
  release_context_modules(device, context);
  release_context_streams(device, context);
  release_context_memory(device, context);
  if (context == 0) release_library_charges(device);
}

}  // namespace

void start_driver() {
  g_initialised.store(true, std::memory_order_relaxed);
}

void initialise_driver() {
  t_uses_runtime = true;
  start_driver();
}

bool driver_initialised() {
  if (g_initialised.load(std::memory_order_relaxed)) return true;
  if (!any_context()) return false;
  start_driver();
  return true;
}

Context* primary_context(int device) {
  if (t_primary && t_primary->device == device) return t_primary;
  Table& all = table();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.primary.size() <= static_cast<size_t>(device)) all.primary.resize(device + 1);
  std::unique_ptr<Context>& slot = all.primary[device];
  if (!slot) {
    slot = std::make_unique<Context>();
    slot->device = device;
    slot->primary = true;
    slot->id = g_next_id++;
  }
  return t_primary = slot.get();
}

Context* create_context(int device, unsigned flags) {
  auto context = std::make_unique<Context>();
  context->device = device;
  context->flags = flags;
  context->id = g_next_id++;
  if (!has_context(device)) primary_context(device)->made_by_driver = true;
  ensure_context(device);
  Table& all = table();
  std::lock_guard<std::mutex> lock(all.mutex);
  Context* handle = context.get();
  all.created[handle] = std::move(context);
  return handle;
}

bool destroy_context(void* handle) {
  if (!t_stack.empty() && t_stack.back() == handle) pop_context();
  Table& all = table();
  Context* gone = nullptr;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.created.find(handle);
    if (found == all.created.end() || !found->second->alive) return false;
    gone = found->second.get();
    gone->alive = false;
  }
  release_context(gone->device, gone->id);
  return true;
}

uint64_t owning_context(int device) {
  if (t_stack.empty() || !t_stack.back()) return 0;
  const Context& top = *t_stack.back();
  return top.primary || top.device != device ? 0 : top.id;
}

void reset_device(int device) {
  release_context(device, 0);
  forget_pools(device);
  Context* primary = primary_context(device);
  primary->cache_config = 0;
  for (size_t& limit : primary->limits) limit = 0;
  forget_context(device);
}

Context* find_context(void* handle) {
  Table& all = table();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto& context : all.primary) {
    if (context && context.get() == handle) return context.get();
  }
  auto found = all.created.find(handle);
  return found == all.created.end() || !found->second->alive ? nullptr : found->second.get();
}

Context* current_context() {
  const int device = current_device();
  // The runtime may have moved this thread to another device since the context was set.
  if (!t_stack.empty() && t_stack.back() && t_stack.back()->device == device) return t_stack.back();
  if (!has_context(device)) return nullptr;
  Context* primary = primary_context(device);
  // A retained context is current only where it was set, unless the runtime is at work on this thread.
  const bool must_be_set = t_stack.empty() && primary->made_by_driver && !t_uses_runtime;
  return must_be_set ? nullptr : primary;
}

void set_current_context(Context* context) {
  if (!t_stack.empty()) t_stack.pop_back();
  if (context) push_context(context);
}

void push_context(Context* context) {
  t_stack.push_back(context);
  ensure_context(context->device);
  set_current_device(context->device);
}

Context* pop_context() {
  Context* top = current_context();
  if (!t_stack.empty()) t_stack.pop_back();
  if (!t_stack.empty() && t_stack.back()) set_current_device(t_stack.back()->device);
  return top;
}

}  // namespace maya
