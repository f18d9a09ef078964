#include "direct_calls.h"

#include <fcntl.h>
#include <sys/time.h>
#include <utime.h>

#include "changes.h"
#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

struct Arguments {
  const long* all;

  int number(int i) const { return static_cast<int>(all[i]); }
  mode_t mode(int i) const { return static_cast<mode_t>(all[i]); }
  const char* path(int i) const { return reinterpret_cast<const char*>(all[i]); }
};

long as_it_is(long number, const long* a) {
  return sys::call(number, a[0], a[1], a[2], a[3], a[4]);
}

Follow follow_by(int flags) {
  return flags & AT_SYMLINK_NOFOLLOW ? Follow::no : Follow::yes;
}

// A call whose first argument is a path, made with the place of that path in the layer.
long change_path(long number, const long* a, Follow follow) {
  Text place;
  if (int error = prepare_change(AT_FDCWD, reinterpret_cast<const char*>(a[0]), follow, place)) return error;
  return sys::call(number, place.text, a[1], a[2], a[3], a[4]);
}

// The same where a directory comes first.
long change_path_at(long number, const long* a, int flags) {
  Text place;
  const char* path = reinterpret_cast<const char*>(a[1]);
  if (!path || !*path) return as_it_is(number, a);  // what a descriptor stands for
  if (int error = prepare_change(static_cast<int>(a[0]), path, follow_by(flags), place)) return error;
  return sys::call(number, AT_FDCWD, place.text, a[2], a[3], a[4]);
}

long answer_names(long number, Arguments a) {
  switch (number) {
    case SYS_rename:
      return rename_at(AT_FDCWD, a.path(0), AT_FDCWD, a.path(1), 0);
    case SYS_renameat:
      return rename_at(a.number(0), a.path(1), a.number(2), a.path(3), 0);
    case SYS_renameat2:
      return rename_at(a.number(0), a.path(1), a.number(2), a.path(3), static_cast<unsigned>(a.all[4]));
    case SYS_unlink:
      return remove_at(AT_FDCWD, a.path(0), 0);
    case SYS_rmdir:
      return remove_at(AT_FDCWD, a.path(0), AT_REMOVEDIR);
    case SYS_unlinkat:
      return remove_at(a.number(0), a.path(1), a.number(2));
    case SYS_mkdir:
      return make_directory_at(AT_FDCWD, a.path(0), a.mode(1));
    case SYS_mkdirat:
      return make_directory_at(a.number(0), a.path(1), a.mode(2));
    case SYS_mknod:
      return make_node_at(AT_FDCWD, a.path(0), a.mode(1), static_cast<dev_t>(a.all[2]));
    case SYS_mknodat:
      return make_node_at(a.number(0), a.path(1), a.mode(2), static_cast<dev_t>(a.all[3]));
    case SYS_link:
      return link_at(AT_FDCWD, a.path(0), AT_FDCWD, a.path(1), 0);
    case SYS_linkat:
      return link_at(a.number(0), a.path(1), a.number(2), a.path(3), a.number(4));
    case SYS_symlink:
      return make_link_at(a.path(0), AT_FDCWD, a.path(1));
    case SYS_symlinkat:
      return make_link_at(a.path(0), a.number(1), a.path(2));
    default:
      return -ENOSYS;
  }
}

long answer_facts(long number, const long* a) {
  switch (number) {
    case SYS_chmod:
    case SYS_chown:
    case SYS_utime:
    case SYS_utimes:
    case SYS_truncate:
    case SYS_setxattr:
    case SYS_removexattr:
      return change_path(number, a, Follow::yes);
    case SYS_lchown:
    case SYS_lsetxattr:
    case SYS_lremovexattr:
      return change_path(number, a, Follow::no);
    case SYS_fchmodat:
    case SYS_futimesat:
      return change_path_at(number, a, 0);
    case kFchmodat2:
    case SYS_utimensat:
      return change_path_at(number, a, static_cast<int>(a[3]));
    case SYS_fchownat:
      return change_path_at(number, a, static_cast<int>(a[4]));
    default:
      return answer_names(number, {a});
  }
}

}  // namespace

long answer_direct_call(long number, const long a[6]) {
  if (!active()) return as_it_is(number, a);
  const Arguments given{a};
  switch (number) {
    case SYS_open:
      return open_file(AT_FDCWD, given.path(0), given.number(1), given.mode(2));
    case SYS_openat:
      return open_file(given.number(0), given.path(1), given.number(2), given.mode(3));
    case SYS_creat:
      return open_file(AT_FDCWD, given.path(0), O_CREAT | O_WRONLY | O_TRUNC, given.mode(1));
    default:
      return answer_facts(number, a);
  }
}

}  // namespace maya::files
