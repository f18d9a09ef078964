// Starting programs and loading libraries that the layer holds, and keeping the layer over what is started.
//
// All that starts a program is here: the C library's functions call each other in a way that nobody can stand
// in for.
#include <alloca.h>
#include <paths.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>

#include "environment.h"
#include "start.h"

using namespace maya::files;

// On the stack: after vfork() nothing may be allocated.
#define MAYA_COMPLETED(given)                                                                 \
  (active() && settings().preload.length && !is_complete(given)                               \
       ? complete(given, static_cast<char**>(alloca(completed_words(given) * sizeof(char*))), \
                  static_cast<char*>(alloca(completed_bytes(given))))                         \
       : const_cast<char**>(given))

MAYA_EXPORT int execve(const char* path, char* const words[], char* const environment[]) noexcept {
  char** whole = MAYA_COMPLETED(environment);
  return start_program(path, words, [&](const char* place, char* const* with) {
    return answer(sys::call(SYS_execve, place, with, whole));
  });
}
MAYA_EXPORT int execv(const char* path, char* const words[]) noexcept {
  return execve(path, words, environ);
}
MAYA_EXPORT int execveat(int directory, const char* path, char* const words[], char* const environment[],
                         int flags) noexcept {
  char** whole = MAYA_COMPLETED(environment);
  View view(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW));
  if (view.failed()) return -1;
  return answer(sys::call(SYS_execveat, view.directory(), view.path(), words, whole, flags));
}
MAYA_EXPORT int fexecve(int file, char* const words[], char* const environment[]) noexcept {
  return execveat(file, "", words, environment, AT_EMPTY_PATH);
}

namespace {

// Where the next of PATH's directories has a program of this name; false after the last.
bool next_candidate(const char*& list, const char* name, Text& out) {
  if (!list) return false;
  size_t bytes = std::strcspn(list, ":");
  out.cut(0);
  bool fits = bytes == 0 || (out.append(list, bytes) && out.append("/"));
  if (!fits || !out.append(name)) out.cut(0);
  list = list[bytes] ? list + bytes + 1 : nullptr;
  return true;
}

const char* search_path() {
  const char* list = std::getenv("PATH");
  return list ? list : _PATH_STDPATH;
}

// A file that is neither a program nor names one in its first line is the shell's.
int start_or_shell(const char* path, char* const words[], char* const environment[]) {
  execve(path, words, environment);
  if (errno != ENOEXEC) return -1;
  size_t count = 0;
  while (words && words[count]) ++count;
  auto** room = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  room[0] = const_cast<char*>(_PATH_BSHELL);
  room[1] = const_cast<char*>(path);
  for (size_t i = 1; i <= count; ++i) room[i + 1] = words[i];
  if (count == 0) room[2] = nullptr;
  return execve(_PATH_BSHELL, room, environment);
}

bool is_elsewhere(int error) {
  return error == ENOENT || error == ENOTDIR || error == ESTALE || error == ENODEV || error == ETIMEDOUT;
}

}  // namespace

MAYA_EXPORT int execvpe(const char* name, char* const words[], char* const environment[]) noexcept {
  if (!*name) return answer(-ENOENT);
  if (std::strchr(name, '/')) return start_or_shell(name, words, environment);
  const char* list = search_path();
  bool refused = false;
  for (Text candidate; next_candidate(list, name, candidate);) {
    if (!candidate.length) continue;
    start_or_shell(candidate.text, words, environment);
    if (errno == EACCES)
      refused = true;
    else if (!is_elsewhere(errno))
      return -1;
  }
  return answer(refused ? -EACCES : -ENOENT);
}
MAYA_EXPORT int execvp(const char* name, char* const words[]) noexcept {
  return execvpe(name, words, environ);
}

// The words of a list of arguments, up to its null.
#define MAYA_LISTED(words, first, list)                                    \
  std::va_list list;                                                       \
  va_start(list, first);                                                   \
  size_t count = 1;                                                        \
  while (va_arg(list, char*)) ++count;                                     \
  va_end(list);                                                            \
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                   \
  words[0] = const_cast<char*>(first);                                     \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*)

MAYA_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  MAYA_LISTED(words, first, list);
  va_end(list);
  return execve(path, words, environ);
}
MAYA_EXPORT int execlp(const char* name, const char* first, ...) noexcept {
  MAYA_LISTED(words, first, list);
  va_end(list);
  return execvpe(name, words, environ);
}
MAYA_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  MAYA_LISTED(words, first, list);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, words, environment);
}

MAYA_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const words[],
                            char* const environment[]) {
  MAYA_NEXT(posix_spawn);
  char** whole = MAYA_COMPLETED(environment);
  int error = 0;
  bool found = start_program(path, words, [&](const char* place, char* const* with) {
                 return error = next(pid, place, actions, attributes, with, whole), 0;
               }) == 0;
  return found ? error : errno;
}
MAYA_EXPORT int posix_spawnp(pid_t* pid, const char* name, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const words[],
                             char* const environment[]) {
  MAYA_NEXT(posix_spawnp);
  char** whole = MAYA_COMPLETED(environment);
  if (std::strchr(name, '/')) return posix_spawn(pid, name, actions, attributes, words, whole);
  const char* list = layer_is_empty() ? nullptr : search_path();
  for (Text candidate; next_candidate(list, name, candidate);) {
    View view(AT_FDCWD, candidate.text, Follow::yes);
    if (!candidate.length || view.failed() || sys::access(view.path(), X_OK)) continue;
    return posix_spawn(pid, candidate.text, actions, attributes, words, whole);
  }
  return next(pid, name, actions, attributes, words, whole);
}

MAYA_EXPORT int system(const char* command) {
  MAYA_NEXT(system);
  complete_own();
  return next(command);
}
MAYA_EXPORT FILE* popen(const char* command, const char* mode) {
  MAYA_NEXT(popen);
  complete_own();
  return next(command, mode);
}

namespace {
const char* library_place(const char* path) {
  if (!path || !std::strchr(path, '/') || layer_is_empty()) return path;
  View view(AT_FDCWD, path, Follow::yes);
  if (view.failed() || !view.is_held()) return path;
  thread_local Text kept;
  return kept.set(view.path()) ? kept.text : path;
}
}  // namespace

MAYA_EXPORT void* dlopen(const char* path, int mode) noexcept {
  MAYA_NEXT(dlopen);
  // A tail call: the loader looks at the return address to know whose RUNPATH applies.
  return next(library_place(path), mode);
}
