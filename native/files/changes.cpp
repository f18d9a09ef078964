// Making, removing, renaming and linking.
#include "changes.h"

#include <linux/fs.h>
#include <sys/stat.h>

#include <cstdio>

#include "copy_up.h"
#include "index.h"
#include "listing.h"
#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

void note_links_changed() {
  count(totals().links, 1);
}

// The directory of the user's changes its time when an entry goes.
void touch_parent(const Found& found) {
  Text place;
  if (!found.held_place(place)) return;
  place.cut(static_cast<size_t>(std::strrchr(place.text, '/') - place.text));
  sys::set_times(place.text, nullptr);
}

int hide(const Found& found) {
  struct stat about;
  if (!users_own(found, &about)) return 0;
  if (!mark(found.hash, kGone)) return -ENOSPC;
  count(totals().hidden, 1);
  note_links_changed();
  return 0;
}

bool view_is_empty(const Found& directory) {
  Listing listing;
  return listing.read(directory) == 0 && listing.is_empty();
}

int move_passed(const Found& from, const char* from_place, const char* to_place) {
  int error = static_cast<int>(sys::call(SYS_renameat2, AT_FDCWD, from_place, AT_FDCWD, to_place, 0));
  struct stat about;
  if (error != -EXDEV || sys::lstat(from_place, &about) || !S_ISREG(about.st_mode)) return error;
  // The program would not have met two file systems here.
  Text beside;
  if (!beside.set(to_place) || !beside.append(".maya-new")) return -ENAMETOOLONG;
  if ((error = copy_file(from_place, beside.text, about, Content::copied))) return error;
  error = static_cast<int>(sys::call(SYS_renameat2, AT_FDCWD, beside.text, AT_FDCWD, to_place, 0));
  if (error) return sys::unlink(beside.text), error;
  return from.kind == Kind::users ? 0 : sys::unlink(from_place);
}

int check_rename(const Found& from, const Found& to, unsigned flags) {
  if ((flags & RENAME_EXCHANGE) && to.kind == Kind::missing) return -ENOENT;
  if ((flags & RENAME_NOREPLACE) && to.kind != Kind::missing) return -EEXIST;
  if (from.is_directory() && to.path.length > from.path.length && to.path.starts_with(from.path))
    return -EINVAL;
  if ((flags & RENAME_EXCHANGE) || to.kind == Kind::missing) return 0;
  if (from.path.length > to.path.length && from.path.starts_with(to.path)) return -ENOTEMPTY;
  if (from.is_directory() && !to.is_directory()) return -ENOTDIR;
  if (!from.is_directory() && to.is_directory()) return -EISDIR;
  if (to.is_directory() && !view_is_empty(to)) return -ENOTEMPTY;
  return 0;
}

int rename_in_layer(Found& from, Found& to, unsigned flags) {
  Text from_place, to_place;
  bool exchange = flags & RENAME_EXCHANGE;
  int error = copy_up_whole(from);
  if (!error) error = exchange ? copy_up_whole(to) : make_parents(to);
  if (error) return error;
  if (!from.held_place(from_place) || !to.held_place(to_place)) return -ENAMETOOLONG;
  bool directory = from.is_directory();
  if (!mark(to.hash, directory ? kEntry | kSubtree : kEntry)) return -ENOSPC;
  if (exchange && !mark(from.hash, kEntry | kSubtree)) return -ENOSPC;
  struct stat replaced;
  if (!exchange && sys::lstat(to_place.text, &replaced) == 0 && S_ISREG(replaced.st_mode)) {
    count(totals().removed_bytes, static_cast<uint64_t>(replaced.st_size));
  }
  error = static_cast<int>(sys::call(SYS_renameat2, AT_FDCWD, from_place.text, AT_FDCWD, to_place.text,
                                     exchange ? RENAME_EXCHANGE : 0));
  if (error) return error;
  note_links_changed();
  // What comes to stand there must not be mixed with what the user has.
  if (directory || exchange) error = hide(to);
  int hidden = hide(from);
  return error ? error : hidden;
}

}  // namespace

int make_directory_at(int directory, const char* path, mode_t mode) {
  Found found;
  Text place;
  if (int error = find(directory, path, Follow::no, found)) return error;
  if (found.kind == Kind::passed) return sys::mkdir(found.path.text, mode);
  if (int error = prepare_new(found, place)) return error;
  if (!mark(found.hash, kSubtree)) return -ENOSPC;
  return sys::mkdir(place.text, mode);
}

int make_node_at(int directory, const char* path, mode_t mode, dev_t device) {
  Found found;
  Text place;
  if (int error = find(directory, path, Follow::no, found)) return error;
  int error =
      found.kind == Kind::passed ? (found.place(place) ? 0 : -ENAMETOOLONG) : prepare_new(found, place);
  return error ? error : static_cast<int>(sys::call(SYS_mknodat, AT_FDCWD, place.text, mode, device));
}

int make_link_at(const char* target, int directory, const char* path) {
  Found found;
  Text place;
  if (int error = find(directory, path, Follow::no, found)) return error;
  int error =
      found.kind == Kind::passed ? (found.place(place) ? 0 : -ENAMETOOLONG) : prepare_new(found, place);
  if (error) return error;
  note_links_changed();
  return static_cast<int>(sys::call(SYS_symlinkat, target, AT_FDCWD, place.text));
}

int remove_at(int directory, const char* path, int flags) {
  Found found;
  Text place;
  if (int error = find(directory, path, Follow::no, found)) return error;
  if (!found.place(place)) return -ENAMETOOLONG;
  if (found.kind == Kind::missing) return -ENOENT;
  if (found.kind == Kind::passed) return sys::unlink(place.text, flags);
  bool wants_directory = flags & AT_REMOVEDIR;
  if (wants_directory && !found.is_directory()) return -ENOTDIR;
  if (!wants_directory && found.is_directory()) return -EISDIR;
  if (int error = may_change_parent(found)) return error;
  if (wants_directory && !view_is_empty(found)) return -ENOTEMPTY;
  if (int error = make_parents(found)) return error;
  if (found.kind == Kind::held) {
    if (int error = sys::unlink(place.text, flags)) return error;
    if (S_ISREG(found.about.st_mode)) {
      count(totals().removed_bytes, static_cast<uint64_t>(found.about.st_size));
    }
    note_links_changed();
  } else {
    touch_parent(found);
  }
  return hide(found);
}

int rename_at(int from_directory, const char* from_path, int to_directory, const char* to_path,
              unsigned flags) {
  Found from, to;
  Text from_place, to_place;
  if (int error = find(from_directory, from_path, Follow::no, from)) return error;
  if (int error = find(to_directory, to_path, Follow::no, to)) return error;
  if (!from.place(from_place) || !to.place(to_place)) return -ENAMETOOLONG;
  if (from.kind == Kind::passed && to.kind == Kind::passed) {
    return static_cast<int>(
        sys::call(SYS_renameat2, AT_FDCWD, from_place.text, AT_FDCWD, to_place.text, flags));
  }
  if (from.kind == Kind::passed || to.kind == Kind::passed) {
    if (flags & RENAME_EXCHANGE) return -EXDEV;
    if (from.kind == Kind::missing) return -ENOENT;
    if (to.kind != Kind::passed) {
      struct stat about;
      if (sys::lstat(from_place.text, &about) == 0 && S_ISDIR(about.st_mode)) return -EXDEV;
      if (int error = may_change_parent(to)) return error;
      if (int error = make_parents(to)) return error;
      if (!mark(to.hash, kEntry) || !to.held_place(to_place)) return -ENOSPC;
      return move_passed(from, from_place.text, to_place.text);
    }
    if (from.is_directory()) return -EXDEV;
    if (int error = copy_up(from, Content::copied)) return error;
    if (!from.held_place(from_place)) return -ENAMETOOLONG;
    int error = move_passed(from, from_place.text, to_place.text);
    return error ? error : hide(from);
  }
  if (from.kind == Kind::missing) return -ENOENT;
  if (from.path.length == to.path.length && !std::strcmp(from.path.text, to.path.text) && !flags) return 0;
  if (int error = check_rename(from, to, flags)) return error;
  struct stat about;
  if (from.kind == Kind::held && to.kind == Kind::held && sys::lstat(to_place.text, &about) == 0 &&
      about.st_ino == from.about.st_ino && about.st_dev == from.about.st_dev && !(flags & RENAME_EXCHANGE)) {
    return 0;  // two names of one file: POSIX says that nothing happens
  }
  if (int error = may_change_parent(from)) return error;
  if (int error = may_change_parent(to)) return error;
  return rename_in_layer(from, to, flags);
}

int link_at(int from_directory, const char* from_path, int to_directory, const char* to_path, int flags) {
  if ((flags & AT_EMPTY_PATH) && from_path && !*from_path) {  // what a descriptor stands for
    char link[32];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", from_directory);
    return link_at(AT_FDCWD, link, to_directory, to_path, AT_SYMLINK_FOLLOW);
  }
  Found from, to;
  Text from_place, to_place;
  Follow follow = flags & AT_SYMLINK_FOLLOW ? Follow::yes : Follow::no;
  if (int error = find(from_directory, from_path, follow, from)) return error;
  if (from.kind == Kind::missing) return -ENOENT;
  if (int error = find(to_directory, to_path, Follow::no, to)) return error;
  bool directory = from.kind != Kind::passed && from.is_directory();
  if (directory && to.kind == Kind::missing) return -EPERM;
  int error = to.kind == Kind::passed ? (to.place(to_place) ? 0 : -ENAMETOOLONG) : prepare_new(to, to_place);
  if (!error && from.kind == Kind::users) error = copy_up(from, Content::copied);
  if (error) return error;
  if (!from.place(from_place)) return -ENAMETOOLONG;
  return static_cast<int>(sys::call(SYS_linkat, AT_FDCWD, from_place.text, AT_FDCWD, to_place.text, flags));
}

}  // namespace maya::files
