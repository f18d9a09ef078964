#include "find.h"

#include <atomic>
#include <cstdio>

#include "copy_up.h"
#include "handed.h"
#include "index.h"
#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

constexpr int kMostLevels = 512;
constexpr int kMostLinks = 40;

// Where a link in /proc or /dev leads, if that is a file with a name outside of them.
bool target_of_kernels_link(const Text& link, Text& target) {
  long bytes = sys::call(SYS_readlinkat, AT_FDCWD, link.text, target.text, sizeof target.text - 1);
  if (bytes <= 0 || target.text[0] != '/') return false;
  target.cut(static_cast<size_t>(bytes));
  struct stat named, meant;
  if (handed_descriptor(link.text) >= 0) return false;
  // A removed file keeps a name in the link, which another may have by now.
  return sys::stat(target.text, &named) == 0 && sys::stat(link.text, &meant) == 0 &&
         named.st_dev == meant.st_dev && named.st_ino == meant.st_ino;
}

// Directories of the user that were seen to be directories, so that they need not be looked at again.
std::atomic<uint64_t> known_directories[4096];

std::atomic<uint64_t>& known_slot(uint64_t hash) {
  return known_directories[(hash ^ hash >> 17) % 4096];
}
uint64_t known_tag(uint64_t hash) {
  return hash + __atomic_load_n(&totals().links, __ATOMIC_RELAXED) * 0x9e3779b97f4a7c15u;
}

struct Level {
  size_t length;
  uint64_t hash;
  uint64_t marks;
  bool hidden;   // by a mark on it or above
  bool subtree;  // the tree may hold it because of a mark above
};

class Walk {
 public:
  explicit Walk(Found& found) : found_(found) { restart(); }

  int run(int directory, const char* path, Follow follow);

 private:
  void restart() {
    depth_ = 0;
    found_.path.cut(0);
    levels_[0] = {0, kHashStart, marks_of(kHashStart), false, false};
  }
  Level& level() { return levels_[depth_]; }
  int push(const char* name, size_t bytes);
  int begin_at(int directory);
  int step(const char* name, size_t bytes, Follow follow, bool last);
  int follow_link();
  int look();
  bool is_system() const;
  int hand_to_kernel(Follow follow);
  bool leads_back(Follow follow);
  int finish();

  Found& found_;
  Text rest_;
  size_t at_ = 0;                // in rest_
  Follow wanted_ = Follow::yes;  // of the last name
  int links_ = 0;
  int depth_ = 0;
  bool done_ = false;
  Level levels_[kMostLevels];
};

int Walk::push(const char* name, size_t bytes) {
  if (depth_ + 1 >= kMostLevels) return -ENAMETOOLONG;
  const Level& above = level();
  if (!found_.path.append("/", 1) || !found_.path.append(name, bytes)) return -ENAMETOOLONG;
  uint64_t hash = hash_on(hash_on(above.hash, "/", 1), name, bytes);
  uint64_t marks = marks_of(hash);
  levels_[depth_ + 1] = {found_.path.length, hash, marks, above.hidden || (marks & kGone),
                         above.subtree || (above.marks & kSubtree)};
  ++depth_;
  return 0;
}

int Walk::begin_at(int directory) {
  Text start;
  long bytes;
  if (directory == AT_FDCWD) {
    bytes = sys::call(SYS_getcwd, start.text, sizeof start.text);
    if (bytes > 0) --bytes;
  } else {
    char link[32];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    bytes = sys::call(SYS_readlinkat, AT_FDCWD, link, start.text, sizeof start.text - 1);
  }
  if (bytes < 0) return directory == AT_FDCWD ? static_cast<int>(bytes) : -EBADF;
  start.cut(static_cast<size_t>(bytes));
  if (start.text[0] != '/') return -ENOTDIR;
  found_.translated |= without_tree(start);
  for (const char* name = start.text; *name;) {
    name += std::strspn(name, "/");
    size_t length = std::strcspn(name, "/");
    if (int error = length ? push(name, length) : 0) return error;
    name += length;
  }
  // A directory that has been removed or renamed meanwhile, by another process.
  if (!level().hidden) return 0;
  if (int error = look()) return error;
  return found_.kind == Kind::missing ? -ENOENT : 0;
}

// Sets the kind and the file's facts for the path so far.
int Walk::look() {
  const Level& here = level();
  found_.users_visible = !here.hidden;
  if (here.subtree || (here.marks & (kEntry | kSubtree))) {
    Text place;
    if (!found_.held_place(place)) return -ENAMETOOLONG;
    if (sys::lstat(place.text, &found_.about) == 0) {
      found_.translated = true;
      return found_.kind = Kind::held, 0;
    }
  }
  found_.kind = Kind::missing;
  if (here.hidden) return found_.translated = true, 0;
  int error = sys::lstat(depth_ ? found_.path.text : "/", &found_.about);
  if (error == 0) found_.kind = Kind::users;
  if (error == 0 && S_ISREG(found_.about.st_mode)) {
    found_.hash = here.hash;
    bring_shared(found_);
  }
  return error == -ENOENT ? 0 : error;
}

int Walk::follow_link() {
  Text place, target;
  if (++links_ > kMostLinks) return -ELOOP;
  if (!found_.place(place)) return -ENAMETOOLONG;
  long bytes = sys::call(SYS_readlinkat, AT_FDCWD, place.text, target.text, sizeof target.text - 1);
  if (bytes < 0) return static_cast<int>(bytes);
  target.cut(static_cast<size_t>(bytes));
  if (!target.append("/", rest_.text[at_] ? 1 : 0) || !target.append(rest_.text + at_)) return -ENAMETOOLONG;
  rest_.set(target.text);
  at_ = 0;
  if (rest_.text[0] == '/') {
    restart();
  } else {
    found_.path.cut(levels_[--depth_].length);
  }
  return 0;
}

// Files that are no files: the kernel's own, and links there that only it can follow.
bool Walk::is_system() const {
  if (depth_ != 1) return false;
  const char* path = found_.path.text;
  return !std::strcmp(path, "/dev") || !std::strcmp(path, "/proc") || !std::strcmp(path, "/sys");
}

// Some links of the kernel lead to files of the user: /proc/self/cwd, /proc/self/fd/7, /dev/stdout. Goes on
// there.
bool Walk::leads_back(Follow follow) {
  Text path = found_.path, target;
  if (!path.append("/", 1)) return false;
  for (size_t at = at_; rest_.text[at];) {
    at += std::strspn(rest_.text + at, "/");
    size_t bytes = std::strcspn(rest_.text + at, "/");
    if (!bytes || !path.append(rest_.text + at, bytes)) return false;
    at += bytes;
    bool last = !rest_.text[at];
    if ((!last || follow == Follow::yes) && target_of_kernels_link(path, target)) {
      if (!target.append(rest_.text + at)) return false;
      ++links_;
      found_.translated |= without_tree(target);
      rest_.set(target.text);
      at_ = 0;
      restart();
      return true;
    }
    if (!path.append("/", 1)) return false;
  }
  return false;
}

int Walk::hand_to_kernel(Follow follow) {
  if (leads_back(follow)) return links_ > kMostLinks ? -ELOOP : 0;
  done_ = true;
  found_.kind = Kind::passed;
  const char* rest = rest_.text + at_;
  if (*rest && !(found_.path.append("/", *rest == '/' ? 0 : 1) && found_.path.append(rest)))
    return -ENAMETOOLONG;
  return 0;
}

int Walk::step(const char* name, size_t bytes, Follow follow, bool last) {
  if (bytes == 1 && name[0] == '.') return 0;
  if (bytes == 2 && name[0] == '.' && name[1] == '.') {
    if (depth_) found_.path.cut(levels_[--depth_].length);
    return 0;
  }
  if (int error = push(name, bytes)) return error;
  if (is_system()) return hand_to_kernel(wanted_);
  const Level& here = level();
  bool plain = !here.hidden && !here.subtree && !here.marks;
  std::atomic<uint64_t>& slot = known_slot(here.hash);
  if (!last && plain && slot.load(std::memory_order_relaxed) == known_tag(here.hash)) return 0;
  if (int error = look()) return error;
  if (found_.kind == Kind::missing) return last ? 0 : -ENOENT;
  if (S_ISLNK(found_.about.st_mode) && (!last || follow == Follow::yes)) return follow_link();
  if (!last && !found_.is_directory()) return -ENOTDIR;
  if (plain && found_.is_directory()) slot.store(known_tag(here.hash), std::memory_order_relaxed);
  return 0;
}

int Walk::finish() {
  if (done_) return 0;
  found_.hash = level().hash;
  found_.in_own_directory = level().subtree;
  found_.parent_visible = depth_ == 0 || !levels_[depth_ - 1].hidden;
  if (int error = look()) return error;
  if (passes(found_.path) && found_.kind != Kind::held) found_.kind = Kind::passed;
  return 0;
}

int Walk::run(int directory, const char* path, Follow follow) {
  if (!*path) return -ENOENT;
  if (!rest_.set(path)) return -ENAMETOOLONG;
  wanted_ = follow;
  if (path[0] != '/') {
    if (int error = begin_at(directory)) return error;
  }
  while (!done_) {
    at_ += std::strspn(rest_.text + at_, "/");
    size_t bytes = std::strcspn(rest_.text + at_, "/");
    if (!bytes) break;
    const char* name = rest_.text + at_;
    at_ += bytes;
    bool last = !rest_.text[at_ + std::strspn(rest_.text + at_, "/")];
    bool slash = last && rest_.text[at_] == '/';
    if (int error = step(name, bytes, slash ? Follow::yes : follow, last)) return error;
    if (slash && !done_ && found_.kind != Kind::missing && at_ && rest_.text[at_] == '/' &&
        !S_ISLNK(found_.about.st_mode) && !found_.is_directory()) {
      return -ENOTDIR;
    }
  }
  return finish();
}

}  // namespace

bool Found::held_place(Text& out) const {
  return out.set(settings().tree.text) && out.append(path.text, path.length);
}

bool Found::place(Text& out) const {
  if (kind == Kind::held) return held_place(out);
  return out.set(path.length ? path.text : "/");
}

int find(int directory, const char* path, Follow follow, Found& found) {
  return Walk(found).run(directory, path, follow);
}

bool users_own(const Found& found, struct stat* about) {
  return found.users_visible && sys::lstat(found.path.length ? found.path.text : "/", about) == 0;
}

bool without_tree(Text& path) {
  const Text& tree = settings().tree;
  if (!path.starts_with(tree)) return false;
  std::memmove(path.text, path.text + tree.length, path.length - tree.length + 1);
  path.length -= tree.length;
  if (!path.length) path.set("/");
  return true;
}

}  // namespace maya::files
