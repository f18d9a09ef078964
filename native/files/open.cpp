// Opening, and changing what a file is like.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "changes.h"
#include "copy_up.h"
#include "handed.h"
#include "index.h"
#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

bool writes(int flags) {
  if (flags & O_PATH) return false;
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE;
}

int open_existing(Found& found, int flags, Text& place) {
  if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return -EEXIST;
  bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (found.kind == Kind::users && (S_ISREG(found.about.st_mode) || unnamed)) {
    int wanted = ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) ? W_OK : 0) |
                 ((flags & O_ACCMODE) != O_WRONLY ? R_OK : 0);
    if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC)) return found.place(place) ? 0 : -ENAMETOOLONG;
    if (int error = sys::access(found.path.text, wanted)) return error;
    if (int error = copy_up(found, flags & O_TRUNC ? Content::empty : Content::copied)) return error;
  }
  return found.place(place) ? 0 : -ENAMETOOLONG;
}

}  // namespace

int prepare_new(Found& found, Text& place) {
  if (found.kind == Kind::held || found.kind == Kind::users) return -EEXIST;
  if (int error = may_change_parent(found)) return error;
  if (int error = make_parents(found)) return error;
  if (!found.in_own_directory && !mark(found.hash, kEntry)) return -ENOSPC;
  return found.held_place(place) ? 0 : -ENAMETOOLONG;
}

int prepare_open(int directory, const char* path, int flags, Text& place) {
  Found found;
  bool unfollowed = (flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  if (int error = find(directory, path, unfollowed ? Follow::no : Follow::yes, found)) return error;
  if (found.kind == Kind::missing && !(flags & O_CREAT)) return -ENOENT;
  if (found.kind == Kind::passed || !writes(flags)) return found.place(place) ? 0 : -ENAMETOOLONG;
  if (found.kind != Kind::missing) return open_existing(found, flags, place);
  if (path[std::strlen(path) - 1] == '/') return -EISDIR;
  int error = prepare_new(found, place);
  if (!error) count(totals().files, 1);
  return error;
}

int open_file(int directory, const char* path, int flags, mode_t mode) {
  Text place;
  int handed = writes(flags) ? handed_descriptor(path) : -1;
  // By its name it could not be opened again: it is outside of what the process may write to.
  if (handed >= 0) {
    return static_cast<int>(sys::call(SYS_fcntl, handed, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0));
  }
  if (int error = prepare_open(directory, path, flags, place)) return error;
  return static_cast<int>(sys::call(SYS_openat, AT_FDCWD, place.text, flags, mode));
}

int prepare_change(int directory, const char* path, Follow follow, Text& place) {
  Found found;
  if (int error = find(directory, path, follow, found)) return error;
  if (found.kind == Kind::missing) return -ENOENT;
  if (found.kind == Kind::users &&
      (S_ISREG(found.about.st_mode) || found.is_directory() || S_ISLNK(found.about.st_mode))) {
    uid_t user = static_cast<uid_t>(sys::call(SYS_geteuid));
    if (user != 0 && user != found.about.st_uid && sys::access(found.path.text, W_OK)) return -EPERM;
    if (int error = copy_up(found, Content::copied)) return error;
  }
  return found.place(place) ? 0 : -ENAMETOOLONG;
}

bool prepare_descriptor_change(int descriptor, Text& place, int& error) {
  char link[32];
  struct stat about;
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long bytes = sys::call(SYS_readlinkat, AT_FDCWD, link, place.text, sizeof place.text - 1);
  long flags = sys::call(SYS_fcntl, descriptor, F_GETFL);
  // A descriptor that may write was opened by us, or handed over open by the user, who meant it.
  if (bytes <= 0 || flags < 0 || (flags & O_ACCMODE) != O_RDONLY) return false;
  place.cut(static_cast<size_t>(bytes));
  if (place.text[0] != '/' || place.starts_with(settings().tree) || sys::lstat(place.text, &about))
    return false;
  Text path = place;
  error = prepare_change(AT_FDCWD, path.text, Follow::no, place);
  return true;
}

// A directory stays the user's: somebody may be reading it, and would find himself at another place.
bool lead_to_copy(int descriptor, const Text& place) {
  struct stat about;
  if (sys::stat(place.text, &about) || !S_ISREG(about.st_mode)) return false;
  long flags = sys::call(SYS_fcntl, descriptor, F_GETFL), own = sys::call(SYS_fcntl, descriptor, F_GETFD);
  long at = sys::call(SYS_lseek, descriptor, 0, SEEK_CUR);
  int copy = flags < 0 ? -1 : sys::open(place.text, static_cast<int>(flags));
  if (copy < 0) return false;
  if (at > 0) sys::call(SYS_lseek, copy, at, SEEK_SET);
  bool led = sys::call(SYS_dup3, copy, descriptor, own > 0 && (own & FD_CLOEXEC) ? O_CLOEXEC : 0) >= 0;
  sys::close(copy);
  return led;
}

}  // namespace maya::files
