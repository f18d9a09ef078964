// Calls that change names, and what a file is like.
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include <cstdio>

#include "changes.h"
#include "view.h"

using namespace maya::files;

#define MAYA_CHANGE(name, signature, arguments, ...)        \
  MAYA_EXPORT int name signature noexcept {                 \
    MAYA_NEXT(name);                                        \
    return active() ? answer(__VA_ARGS__) : next arguments; \
  }
MAYA_CHANGE(unlink, (const char* p), (p), remove_at(AT_FDCWD, p, 0))
MAYA_CHANGE(rmdir, (const char* p), (p), remove_at(AT_FDCWD, p, AT_REMOVEDIR))
MAYA_CHANGE(unlinkat, (int d, const char* p, int f), (d, p, f), remove_at(d, p, f))
MAYA_CHANGE(rename, (const char* a, const char* b), (a, b), rename_at(AT_FDCWD, a, AT_FDCWD, b, 0))
MAYA_CHANGE(renameat, (int d, const char* a, int e, const char* b), (d, a, e, b), rename_at(d, a, e, b, 0))
MAYA_CHANGE(renameat2, (int d, const char* a, int e, const char* b, unsigned f), (d, a, e, b, f),
            rename_at(d, a, e, b, f))
MAYA_CHANGE(mkdir, (const char* p, mode_t m), (p, m), make_directory_at(AT_FDCWD, p, m))
MAYA_CHANGE(mkdirat, (int d, const char* p, mode_t m), (d, p, m), make_directory_at(d, p, m))
MAYA_CHANGE(mknod, (const char* p, mode_t m, dev_t v), (p, m, v), make_node_at(AT_FDCWD, p, m, v))
MAYA_CHANGE(mknodat, (int d, const char* p, mode_t m, dev_t v), (d, p, m, v), make_node_at(d, p, m, v))
MAYA_CHANGE(mkfifo, (const char* p, mode_t m), (p, m), make_node_at(AT_FDCWD, p, m | S_IFIFO, 0))
MAYA_CHANGE(mkfifoat, (int d, const char* p, mode_t m), (d, p, m), make_node_at(d, p, m | S_IFIFO, 0))
MAYA_CHANGE(link, (const char* a, const char* b), (a, b), link_at(AT_FDCWD, a, AT_FDCWD, b, 0))
MAYA_CHANGE(linkat, (int d, const char* a, int e, const char* b, int f), (d, a, e, b, f),
            link_at(d, a, e, b, f))
MAYA_CHANGE(symlink, (const char* t, const char* p), (t, p), make_link_at(t, AT_FDCWD, p))
MAYA_CHANGE(symlinkat, (const char* t, int d, const char* p), (t, d, p), make_link_at(t, d, p))

MAYA_EXPORT int remove(const char* path) noexcept {
  MAYA_NEXT(remove);
  if (!active()) return next(path);
  int error = remove_at(AT_FDCWD, path, 0);
  return answer(error == -EISDIR ? remove_at(AT_FDCWD, path, AT_REMOVEDIR) : error);
}

namespace {

template <class Do>
int changed(int directory, const char* path, Follow follow, Do apply) {
  Text place;
  if (!active() || !path) return answer(apply(directory, path));
  int error = prepare_change(directory, path, follow, place);
  return answer(error ? error : apply(AT_FDCWD, place.text));
}

// Through a descriptor: a file of the user that was opened to be read keeps its facts.
template <class Do, class Next>
int changed_descriptor(int descriptor, Do apply, Next next) {
  Text place;
  int error = 0;
  if (!active() || !prepare_descriptor_change(descriptor, place, error)) return next();
  if (!error && lead_to_copy(descriptor, place)) return next();
  return answer(error ? error : apply(place.text));
}

struct Times {
  timespec both[2];
  const timespec* given;
  explicit Times(const timeval* times) : given(times ? both : nullptr) {
    for (int i = 0; times && i < 2; ++i) both[i] = {times[i].tv_sec, times[i].tv_usec * 1000};
  }
};

int set_times(int directory, const char* path, const timespec* times, int flags) {
  return changed(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW), [&](int at, const char* place) {
    return sys::call(SYS_utimensat, at, place, times, flags);
  });
}

}  // namespace

MAYA_EXPORT int chmod(const char* path, mode_t mode) noexcept {
  return changed(AT_FDCWD, path, Follow::yes,
                 [&](int at, const char* place) { return sys::call(SYS_fchmodat, at, place, mode); });
}
MAYA_EXPORT int fchmodat(int directory, const char* path, mode_t mode, int flags) noexcept {
  MAYA_NEXT(fchmodat);
  return changed(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW),
                 [&](int at, const char* place) { return next(at, place, mode, flags) ? -errno : 0; });
}
MAYA_EXPORT int fchmod(int file, mode_t mode) noexcept {
  MAYA_NEXT(fchmod);
  return changed_descriptor(
      file, [&](const char* place) { return sys::call(SYS_fchmodat, AT_FDCWD, place, mode); },
      [&] { return next(file, mode); });
}
MAYA_EXPORT int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) noexcept {
  if (path && !*path) return answer(sys::call(SYS_fchownat, directory, path, user, group, flags));
  return changed(directory, path, follow_unless(flags & AT_SYMLINK_NOFOLLOW), [&](int at, const char* place) {
    return sys::call(SYS_fchownat, at, place, user, group, flags);
  });
}
MAYA_EXPORT int chown(const char* path, uid_t user, gid_t group) noexcept {
  return fchownat(AT_FDCWD, path, user, group, 0);
}
MAYA_EXPORT int lchown(const char* path, uid_t user, gid_t group) noexcept {
  return fchownat(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW);
}
MAYA_EXPORT int fchown(int file, uid_t user, gid_t group) noexcept {
  MAYA_NEXT(fchown);
  return changed_descriptor(
      file, [&](const char* place) { return sys::call(SYS_fchownat, AT_FDCWD, place, user, group, 0); },
      [&] { return next(file, user, group); });
}
MAYA_EXPORT int truncate(const char* path, off_t bytes) noexcept {
  return changed(AT_FDCWD, path, Follow::yes,
                 [&](int, const char* place) { return sys::call(SYS_truncate, place, bytes); });
}
MAYA_EXPORT int truncate64(const char* path, off64_t bytes) noexcept {
  return truncate(path, bytes);
}
MAYA_EXPORT int utimensat(int directory, const char* path, const timespec times[2], int flags) noexcept {
  return set_times(directory, path, times, flags);
}
MAYA_EXPORT int utimes(const char* path, const timeval times[2]) noexcept {
  return set_times(AT_FDCWD, path, Times(times).given, 0);
}
MAYA_EXPORT int lutimes(const char* path, const timeval times[2]) noexcept {
  return set_times(AT_FDCWD, path, Times(times).given, AT_SYMLINK_NOFOLLOW);
}
MAYA_EXPORT int futimesat(int directory, const char* path, const timeval times[2]) noexcept {
  return set_times(directory, path, Times(times).given, 0);
}
MAYA_EXPORT int utime(const char* path, const utimbuf* times) noexcept {
  timespec both[2] = {};
  if (times) both[0].tv_sec = times->actime, both[1].tv_sec = times->modtime;
  return set_times(AT_FDCWD, path, times ? both : nullptr, 0);
}
MAYA_EXPORT int futimens(int file, const timespec times[2]) noexcept {
  MAYA_NEXT(futimens);
  return changed_descriptor(
      file, [&](const char* place) { return sys::set_times(place, times); },
      [&] { return next(file, times); });
}
MAYA_EXPORT int futimes(int file, const timeval times[2]) noexcept {
  return futimens(file, Times(times).given);
}
MAYA_EXPORT int setxattr(const char* path, const char* n, const void* v, size_t s, int f) noexcept {
  return changed(AT_FDCWD, path, Follow::yes,
                 [&](int, const char* place) { return sys::call(SYS_setxattr, place, n, v, s, f); });
}
MAYA_EXPORT int lsetxattr(const char* path, const char* n, const void* v, size_t s, int f) noexcept {
  return changed(AT_FDCWD, path, Follow::no,
                 [&](int, const char* place) { return sys::call(SYS_lsetxattr, place, n, v, s, f); });
}
MAYA_EXPORT int fsetxattr(int file, const char* n, const void* v, size_t s, int f) noexcept {
  MAYA_NEXT(fsetxattr);
  return changed_descriptor(
      file, [&](const char* place) { return sys::call(SYS_setxattr, place, n, v, s, f); },
      [&] { return next(file, n, v, s, f); });
}
MAYA_EXPORT int removexattr(const char* path, const char* n) noexcept {
  return changed(AT_FDCWD, path, Follow::yes,
                 [&](int, const char* place) { return sys::call(SYS_removexattr, place, n); });
}
