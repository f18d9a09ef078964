// The settings that keep a child under the layer, where a program has made an environment of its own for it.
#pragma once

#include <cstddef>

namespace maya::files {

// Whether a child with this environment is under the layer.
bool is_complete(char* const* given);
// How many words and how many bytes of text `complete` needs.
size_t completed_words(char* const* given);
size_t completed_bytes(char* const* given);
// `given` with what it lacks; both rooms are the caller's, as nothing may be allocated after vfork().
char** complete(char* const* given, char** words, char* text);
// The same for this process: the C library hands its environment on where no other is asked for (system,
// popen).
void complete_own();

}  // namespace maya::files
