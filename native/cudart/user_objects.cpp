// Host objects whose lifetime graphs share.
#include "gen/cudart.h"
#include "maya/graph.h"
#include "maya/handles.h"
#include "status.h"

using namespace maya;

namespace {

constexpr int kUserObject = 2;
constexpr int kState = 1;
constexpr unsigned kNoDestructorSync = 1;

struct State {
  void* pointer;
  void (*destroy)(void*);
  unsigned references;
};

int change(void* object, int64_t by) {
  Handle* handle = find_handle(object, Library::cudart, kUserObject);
  if (!handle) return fail(kInvalidValue);
  State state = get<State>(*handle, kState);
  if (by < 0 && state.references < static_cast<unsigned>(-by)) return fail(kInvalidValue);
  state.references = static_cast<unsigned>(state.references + by);
  set(*handle, kState, state);
  if (state.references) return kSuccess;
  destroy_handle(object, Library::cudart);
  state.destroy(state.pointer);
  return kSuccess;
}

}  // namespace

int cudaUserObjectCreate(void** object, void* pointer, void* destroy, unsigned int references,
                         unsigned int flags) {
  if (int error = ready()) return fail(error);
  if (!object || !destroy || !references || flags != kNoDestructorSync) return fail(kInvalidValue);
  Handle* handle = create_handle(Library::cudart, kUserObject);
  set(*handle, kState, State{pointer, reinterpret_cast<void (*)(void*)>(destroy), references});
  *object = handle;
  return kSuccess;
}

int cudaUserObjectRetain(void* object, unsigned int count) {
  return change(object, count);
}
int cudaUserObjectRelease(void* object, unsigned int count) {
  return change(object, -static_cast<int64_t>(count));
}

// A graph's reference lives until the process ends: nothing here runs after a graph is gone, so keeping the
// object is the safe side of a lifetime that the program cannot observe.
int cudaGraphRetainUserObject(void* graph, void* object, unsigned int count, unsigned int flags) {
  if (!find_graph(graph)) return fail(kInvalidValue);
  constexpr unsigned kMove = 1;
  return flags == kMove ? kSuccess : change(object, count);
}

int cudaGraphReleaseUserObject(void* graph, void* object, unsigned int count) {
  if (!find_graph(graph)) return fail(kInvalidValue);
  return change(object, -static_cast<int64_t>(count));
}
