#include "copy_up.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "index.h"
#include "listing.h"
#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

std::atomic<unsigned> next_work{0};

// From where both stand, up to `end` of `from`.
int copy_until(int from, int to, off_t at, off_t end) {
  while (at < end) {
    long done = sys::call(SYS_sendfile, to, from, nullptr, static_cast<size_t>(end - at));
    if (done == -EINTR) continue;
    if (done <= 0) return static_cast<int>(done);
    at += done;
  }
  return 0;
}

// Holes stay holes: arrays that are mapped (np.memmap) often are nothing else.
int copy_bytes(int from, int to, off_t bytes) {
  if (sys::call(SYS_ioctl, to, FICLONE, from) == 0) return 0;
  for (off_t end = 0;;) {
    off_t begin = sys::call(SYS_lseek, from, end, SEEK_DATA);
    if (begin == -ENXIO) break;  // nothing but a hole is left
    if (begin < 0) return copy_until(from, to, end, bytes);
    end = sys::call(SYS_lseek, from, begin, SEEK_HOLE);
    if (end < 0) return static_cast<int>(end);
    sys::call(SYS_lseek, from, begin, SEEK_SET);
    sys::call(SYS_lseek, to, begin, SEEK_SET);
    if (int error = copy_until(from, to, begin, end)) return error;
  }
  return static_cast<int>(sys::call(SYS_ftruncate, to, bytes));
}

int dress(const char* path, const struct stat& about) {
  const timespec times[2] = {about.st_atim, about.st_mtim};
  sys::call(SYS_fchownat, AT_FDCWD, path, about.st_uid, about.st_gid, AT_SYMLINK_NOFOLLOW);
  // The layer must be able to write below, and to read back.
  mode_t least = S_ISDIR(about.st_mode) ? 0700 : 0;
  if (!S_ISLNK(about.st_mode)) {
    sys::call(SYS_fchmodat, AT_FDCWD, path, (about.st_mode & 07777) | least);
  }
  return sys::set_times(path, times);
}

// A directory as the user's is, made without a trace in the times of the one above.
int make_directory(const char* place, size_t parent_length, const struct stat& about) {
  Text parent;
  struct stat before;
  parent.append(place, parent_length);
  bool known = sys::lstat(parent.text, &before) == 0;
  int error = sys::mkdir(place, 0700);
  if (error) return error == -EEXIST ? 0 : error;
  dress(place, about);
  const timespec times[2] = {before.st_atim, before.st_mtim};
  if (known) sys::set_times(parent.text, times);
  return 0;
}

int copy_link(const char* from, const char* to) {
  char target[PATH_MAX];
  long bytes = sys::call(SYS_readlinkat, AT_FDCWD, from, target, sizeof target - 1);
  if (bytes < 0) return static_cast<int>(bytes);
  target[bytes] = 0;
  return static_cast<int>(sys::call(SYS_symlinkat, target, AT_FDCWD, to));
}

int link_to(const char* from, const char* to) {
  return static_cast<int>(sys::call(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

bool has_more_names(const Found& found) {
  return S_ISREG(found.about.st_mode) && found.about.st_nlink > 1;
}

// The copy of a file of the user that has more names than one: all of them lead to it.
bool shared_name(const Found& found, Text& out) {
  char name[64];
  std::snprintf(name, sizeof name, "/shared/%lx.%lx", static_cast<unsigned long>(found.about.st_dev),
                static_cast<unsigned long>(found.about.st_ino));
  return out.set(settings().root.text) && out.append(name);
}

// Two processes may bring the same file at once: a link is made or is there already, whole in both cases.
int bring_file(const Found& found, const char* place, Content content) {
  Text work, shared;
  bool shares = has_more_names(found);
  if (!work_name(work) || (shares && !shared_name(found, shared))) return -ENAMETOOLONG;
  int error = shares ? link_to(shared.text, place) : -ENOENT;
  if (error == -ENOENT) {
    if ((error = copy_file(found.path.text, work.text, found.about, content))) return error;
    if (shares && link_to(work.text, shared.text) == 0) count(totals().shared, 1);
    error = link_to(shares ? shared.text : work.text, place);
    sys::unlink(work.text);
  }
  if (error == 0) count(totals().files, 1);
  return error == -EEXIST ? 0 : error;
}

}  // namespace

bool work_name(Text& out) {
  char name[64];
  std::snprintf(name, sizeof name, "/work/%ld.%u", sys::call(SYS_gettid), next_work++);
  return out.set(settings().root.text) && out.append(name);
}

int copy_file(const char* from, const char* to, const struct stat& about, Content content) {
  int in = sys::open(from, O_RDONLY);
  // One may be allowed to overwrite what one may not read.
  if (in < 0 && content == Content::copied) return in;
  int out = sys::open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
  int error = out < 0 ? out : content == Content::copied ? copy_bytes(in, out, about.st_size) : 0;
  if (in >= 0) sys::close(in);
  if (out >= 0) sys::close(out);
  if (error && out >= 0) sys::unlink(to);
  return error ? error : dress(to, about);
}

int may_change_parent(const Found& found) {
  if (!found.parent_visible) return 0;
  Text parent;
  const char* slash = std::strrchr(found.path.text, '/');
  if (!slash) return -EBUSY;
  size_t bytes = static_cast<size_t>(slash - found.path.text);
  parent.append(bytes ? found.path.text : "/", bytes ? bytes : 1);
  int error = sys::access(parent.text, W_OK | X_OK);
  return error == -ENOENT || error == -ENOTDIR
             ? 0
             : error;  // it stands in the layer alone, where the kernel judges
}

int make_parents(const Found& found) {
  Text place;
  const size_t base = settings().tree.length;
  if (!found.held_place(place)) return -ENAMETOOLONG;
  uint64_t hash = kHashStart;
  mark(hash, kEntry);
  for (size_t at = 1; at < found.path.length; ++at) {
    if (found.path.text[at] != '/') continue;
    size_t start =
        static_cast<size_t>(static_cast<const char*>(memrchr(found.path.text, '/', at)) - found.path.text);
    hash = hash_on(hash, found.path.text + start, at - start);
    if (!mark(hash, kEntry)) return -ENOSPC;
    char kept = place.text[base + at];
    place.text[base + at] = 0;
    Text users;
    struct stat about, held;
    users.append(found.path.text, at);
    int error = 0;
    if (sys::lstat(place.text, &held) != 0) {
      if (sys::lstat(users.text, &about) != 0) error = -ENOENT;
      if (!error) error = make_directory(place.text, base + start, about);
    }
    place.text[base + at] = kept;
    if (error) return error;
  }
  return 0;
}

int copy_up(Found& found, Content content) {
  if (found.kind != Kind::users) return 0;
  Text place;
  if (int error = make_parents(found)) return error;
  if (!found.held_place(place)) return -ENAMETOOLONG;
  if (!mark(found.hash, kEntry)) return -ENOSPC;
  int error = -EPERM;  // sockets and devices have no content that could be kept apart
  size_t parent = static_cast<size_t>(std::strrchr(place.text, '/') - place.text);
  if (S_ISREG(found.about.st_mode)) error = bring_file(found, place.text, content);
  if (S_ISDIR(found.about.st_mode)) error = make_directory(place.text, parent, found.about);
  if (S_ISLNK(found.about.st_mode)) error = copy_link(found.path.text, place.text);
  if (error && error != -EEXIST) return error;
  found.kind = Kind::held;
  found.translated = true;
  return 0;
}

bool bring_shared(Found& found) {
  Text shared;
  struct stat about;
  if (!__atomic_load_n(&totals().shared, __ATOMIC_RELAXED) || !has_more_names(found)) return false;
  if (passes(found.path) || !shared_name(found, shared) || sys::lstat(shared.text, &about) ||
      copy_up(found, Content::copied))
    return false;
  Text place;
  return found.held_place(place) && sys::lstat(place.text, &found.about) == 0;
}

int copy_up_whole(Found& found) {
  struct stat about;
  bool merged = found.kind == Kind::held && users_own(found, &about) && S_ISDIR(about.st_mode);
  bool directory = found.is_directory();
  if (int error = copy_up(found, Content::copied)) return error;
  if (!directory || !found.users_visible) return 0;
  if (!merged && !users_own(found, &about)) return 0;
  Listing listing;
  if (int error = listing.read(found)) return error;
  for (size_t i = 0; i < listing.count(); ++i) {
    if (listing.is_dots(i)) continue;
    Text path;
    if (!path.set(found.path.text) || !path.append("/") || !path.append(listing.name(i)))
      return -ENAMETOOLONG;
    Found* entry = new Found;  // a tree may be deep, a thread's stack is not
    int error = find(AT_FDCWD, path.text, Follow::no, *entry);
    if (!error) error = copy_up_whole(*entry);
    delete entry;
    if (error) return error;
  }
  const timespec times[2] = {found.about.st_atim, found.about.st_mtim};
  Text place;
  return found.held_place(place) ? sys::set_times(place.text, times) : -ENAMETOOLONG;
}

}  // namespace maya::files
