// Reference-counted objects of the program that graphs may keep alive.
#include "maya/user_objects.h"

#include "support.h"

using namespace maya;
using namespace maya::driver;

extern "C" {

int cuUserObjectCreate(void** handle, void* object, void* destroy, unsigned int references, unsigned int) {
  if (int status = require_driver()) return status;
  if (!handle || !destroy || references == 0) return kInvalidValue;
  *handle = create_user_object(object, reinterpret_cast<void (*)(void*)>(destroy), references);
  return kSuccess;
}

int cuUserObjectRetain(void* handle, unsigned int count) {
  return change_references(handle, count) ? kSuccess : kInvalidValue;
}
int cuUserObjectRelease(void* handle, unsigned int count) {
  return change_references(handle, -static_cast<int64_t>(count)) ? kSuccess : kInvalidValue;
}

int cuGraphRetainUserObject(void* graph, void* object, unsigned int count, unsigned int flags) {
  constexpr unsigned kMove = 1;
  Graph* found = find_graph(graph);
  return found && retain_for(*found, object, count, flags & kMove) ? kSuccess : kInvalidValue;
}

int cuGraphReleaseUserObject(void* graph, void* object, unsigned int count) {
  Graph* found = find_graph(graph);
  return found && release_from(*found, object, count) ? kSuccess : kInvalidValue;
}

}  // extern "C"
