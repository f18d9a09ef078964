// Calls that answer with a path: the program must not see where the layer keeps its files.
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "view.h"

using namespace maya::files;

namespace {

ssize_t read_link(int directory, const char* path, char* out, size_t bytes) {
  View view(directory, path, Follow::no);
  if (view.failed()) return -1;
  Text target;
  long length = sys::call(SYS_readlinkat, view.directory(), view.path(), target.text, sizeof target.text - 1);
  if (length < 0) return answer(length);
  target.cut(static_cast<size_t>(length));
  if (active()) without_tree(target);
  size_t given = target.length < bytes ? target.length : bytes;
  std::memcpy(out, target.text, given);
  return static_cast<ssize_t>(given);
}

char* give(const Text& path, char* out, size_t bytes) {
  if (out && bytes <= path.length) return errno = ERANGE, nullptr;
  char* given = out ? out : static_cast<char*>(std::malloc(bytes > path.length ? bytes : path.length + 1));
  if (given) std::memcpy(given, path.text, path.length + 1);
  return given;
}

}  // namespace

MAYA_EXPORT ssize_t readlink(const char* path, char* out, size_t bytes) noexcept {
  return read_link(AT_FDCWD, path, out, bytes);
}
MAYA_EXPORT ssize_t readlinkat(int directory, const char* path, char* out, size_t bytes) noexcept {
  return read_link(directory, path, out, bytes);
}
MAYA_EXPORT ssize_t __readlink_chk(const char* path, char* out, size_t bytes, size_t) {
  return read_link(AT_FDCWD, path, out, bytes);
}
MAYA_EXPORT ssize_t __readlinkat_chk(int directory, const char* path, char* out, size_t bytes, size_t) {
  return read_link(directory, path, out, bytes);
}

MAYA_EXPORT char* getcwd(char* out, size_t bytes) noexcept {
  Text path;
  if (out && !bytes) return errno = EINVAL, nullptr;
  long length = sys::call(SYS_getcwd, path.text, sizeof path.text);
  if (length < 0) return answer(length), nullptr;
  path.cut(static_cast<size_t>(length - 1));
  if (active()) without_tree(path);
  return give(path, out, bytes);
}
MAYA_EXPORT char* __getcwd_chk(char* out, size_t bytes, size_t) {
  return getcwd(out, bytes);
}
MAYA_EXPORT char* get_current_dir_name() noexcept {
  return getcwd(nullptr, 0);
}

MAYA_EXPORT char* realpath(const char* path, char* out) noexcept {
  MAYA_NEXT(realpath);
  if (!path || !*path || layer_is_empty()) return next(path, out);
  Found found;
  int error = find(AT_FDCWD, path, Follow::yes, found);
  if (!found.translated || (!error && found.kind == Kind::passed))
    return next(found.translated ? found.path.text : path, out);
  if (!error && found.kind == Kind::missing) error = -ENOENT;
  if (error) return answer(error), nullptr;
  if (!found.path.length) found.path.set("/");
  return give(found.path, out, PATH_MAX);
}
MAYA_EXPORT char* __realpath_chk(const char* path, char* out, size_t) {
  return realpath(path, out);
}
MAYA_EXPORT char* canonicalize_file_name(const char* path) noexcept {
  return realpath(path, nullptr);
}

// The kernel stands where the user's directory is, unless only the layer has it.
MAYA_EXPORT int chdir(const char* path) noexcept {
  View view(AT_FDCWD, path, Follow::yes);
  if (view.failed()) return -1;
  Text users;
  if (view.is_held() && users.set(view.path()) && without_tree(users)) {
    Found found;
    struct stat about;
    if (!find(AT_FDCWD, users.text, Follow::no, found) && users_own(found, &about) &&
        S_ISDIR(about.st_mode)) {
      return answer(sys::call(SYS_chdir, users.text));
    }
  }
  return answer(sys::call(SYS_chdir, view.path()));
}
