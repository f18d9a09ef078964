// Starting programs and loading libraries that the layer holds, and keeping the layer over what is started.
#include <alloca.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>

#include "view.h"

using namespace maya::files;

namespace {

constexpr const char* kKept[] = {"MAYA_FILES=", "MAYA_FILES_PASS=", "MAYA_RUN_DIR="};
constexpr size_t kKeptCount = sizeof kKept / sizeof *kKept;
constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kOurselves[] = "libmaya_files.so";

char* find_setting(char* const* environment, const char* name) {
  size_t bytes = std::strlen(name);
  for (char* const* at = environment; at && *at; ++at) {
    if (!std::strncmp(*at, name, bytes)) return *at;
  }
  return nullptr;
}

size_t count_of(char* const* words) {
  size_t count = 0;
  while (words && words[count]) ++count;
  return count;
}

bool is_complete(char* const* given) {
  for (const char* name : kKept) {
    if (!find_setting(given, name) && find_setting(environ, name)) return false;
  }
  const char* preload = find_setting(given, kPreload);
  return preload && std::strstr(preload, kOurselves);
}

// What was preloaded here comes before what the program wants preloaded.
void write_preload(char* out, const char* theirs) {
  std::strcpy(out, kPreload);
  std::strcat(out, settings().preload.text);
  if (theirs && theirs[sizeof kPreload - 1]) std::strcat(std::strcat(out, ":"), theirs + sizeof kPreload - 1);
}

size_t preload_bytes(char* const* given) {
  const char* theirs = find_setting(given, kPreload);
  return sizeof kPreload + settings().preload.length + (theirs ? std::strlen(theirs) : 0) + 1;
}

// An environment made anew (subprocess with env=), or one whose LD_PRELOAD a script has set to an allocator
// of its own, would leave the child without the layer, and without a device.
char** completed(char* const* given, char** room, char* preload) {
  size_t count = 0;
  for (char* const* at = given; at && *at; ++at) {
    if (std::strncmp(*at, kPreload, sizeof kPreload - 1)) room[count++] = *at;
  }
  for (const char* name : kKept) {
    char* setting = find_setting(environ, name);
    if (setting && !find_setting(given, name)) room[count++] = setting;
  }
  write_preload(preload, find_setting(given, kPreload));
  room[count++] = preload;
  room[count] = nullptr;
  return room;
}

}  // namespace

// On the stack: after vfork() nothing may be allocated.
#define MAYA_COMPLETED(given)                                                                              \
  (active() && settings().preload.length && !is_complete(given)                                            \
       ? completed(given, static_cast<char**>(alloca((count_of(given) + kKeptCount + 2) * sizeof(char*))), \
                   static_cast<char*>(alloca(preload_bytes(given))))                                       \
       : const_cast<char**>(given))

MAYA_EXPORT int execve(const char* path, char* const words[], char* const environment[]) noexcept {
  char** whole = MAYA_COMPLETED(environment);
  View view(AT_FDCWD, path, Follow::yes);
  return view.failed() ? -1 : answer(sys::call(SYS_execve, view.path(), words, whole));
}
MAYA_EXPORT int execv(const char* path, char* const words[]) noexcept {
  return execve(path, words, environ);
}
MAYA_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const words[],
                            char* const environment[]) {
  MAYA_NEXT(posix_spawn);
  char** whole = MAYA_COMPLETED(environment);
  View view(AT_FDCWD, path, Follow::yes);
  return view.failed() ? errno : next(pid, view.path(), actions, attributes, words, whole);
}
MAYA_EXPORT int posix_spawnp(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const words[],
                             char* const environment[]) {
  MAYA_NEXT(posix_spawnp);
  char** whole = MAYA_COMPLETED(environment);
  if (!std::strchr(path, '/')) return next(pid, path, actions, attributes, words, whole);
  return posix_spawn(pid, path, actions, attributes, words, environment);
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
