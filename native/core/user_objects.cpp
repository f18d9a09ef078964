#include "maya/user_objects.h"

#include <mutex>

#include "registry.h"

namespace maya {
namespace {

struct UserObject {
  void* object;
  void (*destroy)(void*);
  uint64_t references;
};

Registry<UserObject>& objects() {
  static auto* instance = new Registry<UserObject>;
  return *instance;
}

std::mutex& reference_lock() {
  static auto* lock = new std::mutex;
  return *lock;
}

}  // namespace

void* create_user_object(void* object, void (*destroy)(void*), unsigned references) {
  return objects().add(std::make_unique<UserObject>(UserObject{object, destroy, references}));
}

bool change_references(void* handle, int64_t by) {
  std::unique_ptr<UserObject> last;
  {
    std::lock_guard<std::mutex> guard(reference_lock());
    UserObject* found = objects().find(handle);
    if (!found || by == 0) return false;
    if (by < 0 && found->references < static_cast<uint64_t>(-by)) return false;
    found->references += static_cast<uint64_t>(by);
    if (!found->references) last = objects().remove(handle);
  }
  if (last) last->destroy(last->object);
  return true;
}

bool retain_for(Graph& graph, void* handle, unsigned count, bool move) {
  if (!count || !objects().find(handle)) return false;
  if (!move && !change_references(handle, count)) return false;
  graph.held[handle] += count;
  return true;
}

bool release_from(Graph& graph, void* handle, unsigned count) {
  auto held = graph.held.find(handle);
  if (!count || held == graph.held.end() || held->second < count) return false;
  held->second -= count;
  if (!held->second) graph.held.erase(held);
  return change_references(handle, -static_cast<int64_t>(count));
}

void retain_all(const HeldObjects& held) {
  for (const auto& [handle, count] : held) change_references(handle, count);
}

void release_all(const HeldObjects& held) {
  for (const auto& [handle, count] : held) change_references(handle, -static_cast<int64_t>(count));
}

}  // namespace maya
