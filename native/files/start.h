// Starting a program of which the layer has a part: itself, or what its first line asks for ("#!").
#pragma once

#include <alloca.h>
#include <fcntl.h>

#include "view.h"

namespace maya::files {

// The first line of a script.
class Interpreter {
 public:
  // False where the file is no script, or may not be started.
  bool read(const char* place);
  const char* path() const { return path_; }
  // The words that the kernel would start it with: its name, what the line says, the script, the script's
  // own.
  size_t words_for(char* const* words) const;
  char** write(char** room, const char* script, char* const* words);

 private:
  char line_[256];  // as much as the kernel reads
  char* path_ = nullptr;
  char* option_ = nullptr;
};

constexpr int kMostInterpreters = 5;

// `begin(place, words)` starts a program. The kernel would tell a script in the layer's tree where it stands,
// and would not find an interpreter there, so scripts are led to their interpreters here.
template <class Begin>
int start_program(const char* path, char* const* words, const Begin& begin, int depth = 0) {
  View view(AT_FDCWD, path, Follow::yes);
  if (view.failed()) return -1;
  Interpreter interpreter;
  if (layer_is_empty() || !interpreter.read(view.path())) return begin(view.path(), words);
  View with(AT_FDCWD, interpreter.path(), Follow::yes);
  if (!view.is_translated() && !with.is_translated()) return begin(view.path(), words);
  if (depth == kMostInterpreters) return answer(-ELOOP);
  auto** room = static_cast<char**>(alloca(interpreter.words_for(words) * sizeof(char*)));
  return start_program(interpreter.path(), interpreter.write(room, path, words), begin, depth + 1);
}

}  // namespace maya::files
