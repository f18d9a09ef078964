// Host objects whose lifetime graphs share.
#include "maya/user_objects.h"

#include "gen/cudart.h"
#include "status.h"

using namespace maya;

int cudaUserObjectCreate(void** object, void* pointer, void* destroy, unsigned int references,
                         unsigned int flags) {
  constexpr unsigned kNoDestructorSync = 1;
  if (int error = ready()) return fail(error);
  if (!object || !destroy || !references || flags != kNoDestructorSync) return fail(kInvalidValue);
  *object = create_user_object(pointer, reinterpret_cast<void (*)(void*)>(destroy), references);
  return kSuccess;
}

int cudaUserObjectRetain(void* object, unsigned int count) {
  return check(change_references(object, count), kInvalidValue);
}
int cudaUserObjectRelease(void* object, unsigned int count) {
  return check(change_references(object, -static_cast<int64_t>(count)), kInvalidValue);
}

int cudaGraphRetainUserObject(void* graph, void* object, unsigned int count, unsigned int flags) {
  constexpr unsigned kMove = 1;
  Graph* found = find_graph(graph);
  return check(found && retain_for(*found, object, count, flags & kMove), kInvalidValue);
}

int cudaGraphReleaseUserObject(void* graph, void* object, unsigned int count) {
  Graph* found = find_graph(graph);
  return check(found && release_from(*found, object, count), kInvalidValue);
}
