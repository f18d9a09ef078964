// Calls that look at a file by its name.
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "view.h"

using namespace maya::files;

// A call that takes a path first; `follow` where it looks at what a link leads to.
#define MAYA_READ(result, name, follow, signature, ...)         \
  MAYA_EXPORT result name signature {                           \
    MAYA_NEXT(name);                                            \
    View view(AT_FDCWD, path, follow);                          \
    return view.failed() ? -1 : next(view.path(), __VA_ARGS__); \
  }
constexpr Follow kYes = Follow::yes, kNo = Follow::no;
MAYA_READ(int, stat, kYes, (const char* path, struct stat* out), out)
MAYA_READ(int, stat64, kYes, (const char* path, struct stat64* out), out)
MAYA_READ(int, lstat, kNo, (const char* path, struct stat* out), out)
MAYA_READ(int, lstat64, kNo, (const char* path, struct stat64* out), out)
MAYA_READ(int, statfs, kYes, (const char* path, struct statfs* out), out)
MAYA_READ(int, statfs64, kYes, (const char* path, struct statfs64* out), out)
MAYA_READ(int, statvfs, kYes, (const char* path, struct statvfs* out), out)
MAYA_READ(int, statvfs64, kYes, (const char* path, struct statvfs64* out), out)
MAYA_READ(long, pathconf, kYes, (const char* path, int name), name)
MAYA_READ(ssize_t, getxattr, kYes, (const char* path, const char* n, void* v, size_t s), n, v, s)
MAYA_READ(ssize_t, lgetxattr, kNo, (const char* path, const char* n, void* v, size_t s), n, v, s)
MAYA_READ(ssize_t, listxattr, kYes, (const char* path, char* list, size_t size), list, size)
MAYA_READ(ssize_t, llistxattr, kNo, (const char* path, char* list, size_t size), list, size)

// Programs built for glibc before 2.33 ask by these names.
#define MAYA_OLD_STAT(name, type, flags)                                                 \
  MAYA_EXPORT int name(int, const char* path, struct type* out) {                        \
    View view(AT_FDCWD, path, follow_unless(flags));                                     \
    if (view.failed()) return -1;                                                        \
    return answer(sys::call(SYS_newfstatat, view.directory(), view.path(), out, flags)); \
  }
MAYA_OLD_STAT(__xstat, stat, 0)
MAYA_OLD_STAT(__xstat64, stat64, 0)
MAYA_OLD_STAT(__lxstat, stat, AT_SYMLINK_NOFOLLOW)
MAYA_OLD_STAT(__lxstat64, stat64, AT_SYMLINK_NOFOLLOW)

#define MAYA_STAT_AT(name, version, type)                                                      \
  MAYA_EXPORT int name(version int directory, const char* path, struct type* out, int flags) { \
    View view(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW));                    \
    if (view.failed()) return -1;                                                              \
    return answer(sys::call(SYS_newfstatat, view.directory(), view.path(), out, flags));       \
  }
#define MAYA_VERSION int,
MAYA_STAT_AT(fstatat, , stat)
MAYA_STAT_AT(fstatat64, , stat64)
MAYA_STAT_AT(__fxstatat, MAYA_VERSION, stat)
MAYA_STAT_AT(__fxstatat64, MAYA_VERSION, stat64)

MAYA_EXPORT int statx(int directory, const char* path, int flags, unsigned mask, struct statx* out) {
  View view(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW));
  if (view.failed()) return -1;
  return answer(sys::call(SYS_statx, view.directory(), view.path(), flags, mask, out));
}

namespace {

// A directory of the user that has a copy in the layer is still the user's to allow or refuse.
int access_at(int directory, const char* path, int mode, int flags) {
  View view(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW));
  if (view.failed()) return -1;
  long result = sys::call(SYS_faccessat2, view.directory(), view.path(), mode, flags);
  if (result || !view.is_held() || !(mode & W_OK)) return answer(result);
  Text users;
  struct stat about;
  users.set(view.path());
  without_tree(users);
  Found found;
  if (find(AT_FDCWD, users.text, Follow::no, found) || !found.is_directory() || !users_own(found, &about))
    return 0;
  return answer(sys::call(SYS_faccessat2, AT_FDCWD, users.text, mode, flags));
}

}  // namespace

MAYA_EXPORT int access(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, 0);
}
MAYA_EXPORT int eaccess(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}
MAYA_EXPORT int euidaccess(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}
MAYA_EXPORT int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  return access_at(directory, path, mode, flags);
}

// libc's own asks for the file by a name of its own.
MAYA_EXPORT key_t ftok(const char* path, int project) noexcept {
  struct stat about;
  if (stat(path, &about)) return -1;
  return static_cast<key_t>((about.st_ino & 0xffff) | (about.st_dev & 0xff) << 16 |
                            (static_cast<unsigned>(project) & 0xff) << 24);
}

MAYA_EXPORT int inotify_add_watch(int watches, const char* path, uint32_t mask) noexcept {
  MAYA_NEXT(inotify_add_watch);
  View view(AT_FDCWD, path, Follow::yes);
  return view.failed() ? -1 : next(watches, view.path(), mask);
}
