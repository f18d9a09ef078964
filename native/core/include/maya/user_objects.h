// Reference-counted objects of the program that graphs may keep alive; runtime and driver share them.
#pragma once

#include "maya/graph.h"

namespace maya {

MAYA_EXPORT void* create_user_object(void* object, void (*destroy)(void*), unsigned references);
// Adds references, or takes some away; with the last the object is destroyed. False when there are not so
// many, or no such object.
MAYA_EXPORT bool change_references(void* handle, int64_t by);

// The graph holds references of its own, which end with it; with `move` it takes over the caller's.
MAYA_EXPORT bool retain_for(Graph& graph, void* handle, unsigned count, bool move);
MAYA_EXPORT bool release_from(Graph& graph, void* handle, unsigned count);

// All references of a graph or an instance of it.
void retain_all(const HeldObjects& held);
void release_all(const HeldObjects& held);

}  // namespace maya
