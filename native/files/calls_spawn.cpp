// Files that a program wants opened in the child that it spawns.
//
// The C library opens them in the child with a call of its own, before the child runs anything, and with all
// signals blocked: the trap for direct calls would kill it. They are opened here instead, through the layer,
// and handed down.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <unistd.h>

#include "view.h"

using namespace maya::files;

namespace {

struct Opened {
  const posix_spawn_file_actions_t* actions;
  int file;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Opened opened[256];  // until the actions are destroyed

bool keep(const posix_spawn_file_actions_t* actions, int file) {
  bool kept = false;
  pthread_mutex_lock(&lock);
  for (Opened& place : opened) {
    if (place.actions) continue;
    place = {actions, file};
    kept = true;
    break;
  }
  pthread_mutex_unlock(&lock);
  return kept;
}

}  // namespace

MAYA_EXPORT int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t* actions, int file,
                                                 const char* path, int flags, mode_t mode) {
  MAYA_NEXT(posix_spawn_file_actions_addopen);
  int here = open(path, flags | O_CLOEXEC, mode);
  // What cannot be opened is the child's to find out.
  if (here < 0) return next(actions, file, path, flags, mode);
  if (!keep(actions, here)) {
    close(here);
    return ENOMEM;
  }
  return posix_spawn_file_actions_adddup2(actions, here, file);
}

MAYA_EXPORT int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t* actions) {
  MAYA_NEXT(posix_spawn_file_actions_destroy);
  pthread_mutex_lock(&lock);
  for (Opened& place : opened) {
    if (place.actions != actions) continue;
    close(place.file);
    place.actions = nullptr;
  }
  pthread_mutex_unlock(&lock);
  return next(actions);
}
