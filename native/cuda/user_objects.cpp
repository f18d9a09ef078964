// Reference-counted objects of the program that graphs may keep alive.
#include "maya/graph.h"
#include "maya/handles.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

struct UserObject {
  void* object;
  void (*destroy)(void*);
  unsigned references;
};
constexpr int kObject = 1;

int change(void* handle, int by) {
  Handle* found = find_handle(handle, Library::cuda, kUserObject);
  if (!found || by == 0) return kInvalidValue;
  auto object = get<UserObject>(*found, kObject);
  if (by < 0 && object.references < static_cast<unsigned>(-by)) return kInvalidValue;
  object.references += static_cast<unsigned>(by);
  set(*found, kObject, object);
  if (object.references) return kSuccess;
  destroy_handle(handle, Library::cuda);
  object.destroy(object.object);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuUserObjectCreate(void** handle, void* object, void* destroy, unsigned int references, unsigned int) {
  if (int status = require_driver()) return status;
  if (!handle || !destroy || references == 0) return kInvalidValue;
  Handle* made = create_handle(Library::cuda, kUserObject);
  set(*made, kObject, UserObject{object, reinterpret_cast<void (*)(void*)>(destroy), references});
  *handle = made;
  return kSuccess;
}

int cuUserObjectRetain(void* handle, unsigned int count) {
  return change(handle, static_cast<int>(count));
}
int cuUserObjectRelease(void* handle, unsigned int count) {
  return change(handle, -static_cast<int>(count));
}

// A graph's reference is held until the program releases it; one held by a destroyed graph is never given
// back.
int cuGraphRetainUserObject(void* graph, void* object, unsigned int count, unsigned int flags) {
  constexpr unsigned kMove = 1;
  if (!find_graph(graph)) return kInvalidValue;
  return flags & kMove ? kSuccess : cuUserObjectRetain(object, count);
}

int cuGraphReleaseUserObject(void* graph, void* object, unsigned int count) {
  return find_graph(graph) ? cuUserObjectRelease(object, count) : kInvalidValue;
}

}  // extern "C"
