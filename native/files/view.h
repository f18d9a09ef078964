// What the replaced functions share.
#pragma once

#include <dlfcn.h>

#include <cerrno>

#include "find.h"
#include "index.h"
#include "settings.h"
#include "sys.h"

#define MAYA_EXPORT extern "C" __attribute__((visibility("default")))
#define MAYA_NEXT(name) static const auto next = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name))

namespace maya::files {

// As libc answers.
inline int answer(long result) {
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

inline bool layer_is_empty() {
  return !active() || __atomic_load_n(&totals().marks, __ATOMIC_RELAXED) == 0;
}

// Which file a call that only reads shall be given.
class View {
 public:
  View(int directory, const char* path, Follow follow) : directory_(directory), path_(path) {
    if (!path || !*path || layer_is_empty()) return;
    Found found;
    int kept = errno;
    int error = find(directory, path, follow, found);
    errno = kept;
    if (!found.translated) return;  // the kernel finds it, or not, by itself
    if (!error && found.kind == Kind::missing) error = -ENOENT;
    if (!error && !found.place(place_)) error = -ENAMETOOLONG;
    error_ = -error;
    directory_ = AT_FDCWD;
    path_ = place_.text;
    kind_ = found.kind;
  }
  bool failed() const { return error_ ? errno = error_, true : false; }
  int directory() const { return directory_; }
  const char* path() const { return path_; }
  bool is_held() const { return kind_ == Kind::held; }
  // The kernel would not find it by the program's words.
  bool is_translated() const { return path_ == place_.text; }

 private:
  int directory_;
  const char* path_;
  int error_ = 0;
  Kind kind_ = Kind::users;
  Text place_;
};

inline Follow follow_unless(bool no) {
  return no ? Follow::no : Follow::yes;
}

}  // namespace maya::files
