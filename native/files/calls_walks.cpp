// nftw and ftw. libc's own read directories by functions that nobody else can stand in for, so the walk is
// done here, by those that show the layer. What is reported, and when, is as in glibc.
#include <dirent.h>
#include <ftw.h>
#include <search.h>
#include <unistd.h>

#include <cstdlib>

#include "view.h"

using namespace maya::files;

namespace {

struct Place {
  dev_t device;
  ino_t file;
};

int compare(const void* a, const void* b) {
  const auto &one = *static_cast<const Place*>(a), &other = *static_cast<const Place*>(b);
  if (one.device != other.device) return one.device < other.device ? -1 : 1;
  return one.file < other.file ? -1 : one.file > other.file;
}

struct Names {
  dirent** all = nullptr;
  int count = 0;
  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  ~Names() {
    for (int i = 0; i < count; ++i) std::free(all[i]);
    std::free(all);
  }
};

class Walk {
 public:
  // One of the two functions; without `full` the call is ftw.
  Walk(__nftw_func_t full, __ftw_func_t plain, int flags) : full_(full), plain_(plain), flags_(flags) {}
  ~Walk() { tdestroy(seen_, std::free); }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  int run(const char* path) {
    if (!path || !*path) return answer(-ENOENT);
    if (!path_.set(path)) return answer(-ENAMETOOLONG);
    while (path_.length > 1 && path_.text[path_.length - 1] == '/') path_.cut(path_.length - 1);
    const char* slash = std::strrchr(path_.text, '/');
    about_.base = slash && slash[1] ? static_cast<int>(slash + 1 - path_.text) : 0;
    if (!(flags_ & FTW_CHDIR)) return clean(start());
    char before[PATH_MAX];
    if (!getcwd(before, sizeof before) || !start_.set(before)) return -1;
    int result = enter(about_.base) ? -1 : clean(start());
    int error = errno;
    if (chdir(before)) return -1;
    errno = error;
    return result;
  }

 private:
  int start() {
    struct stat facts;
    if (look(facts) == 0) {
      if (!S_ISDIR(facts.st_mode)) return report(facts, S_ISLNK(facts.st_mode) ? FTW_SL : FTW_F);
      device_ = device_of(facts);
      return is_new(facts) ? directory(facts, -1) : -1;
    }
    return errno == ENOENT && is_lost_link(facts) ? report(facts, FTW_SLN) : -1;
  }

  // What the path is now; `parent` is how much of it leads to its directory.
  int entry(int parent) {
    struct stat facts{};
    int kind = FTW_NS;
    if (look(facts) == 0) {
      kind = S_ISDIR(facts.st_mode) ? FTW_D : S_ISLNK(facts.st_mode) ? FTW_SL : FTW_F;
      if ((flags_ & FTW_MOUNT) && device_of(facts) != device_) return 0;
    } else if (errno != EACCES && errno != ENOENT) {
      return -1;
    } else if (is_lost_link(facts)) {
      kind = FTW_SLN;
    }
    int result = kind != FTW_D ? report(facts, kind) : is_new(facts) ? directory(facts, parent) : 0;
    return (flags_ & FTW_ACTIONRETVAL) && result == FTW_SKIP_SUBTREE ? 0 : result;
  }

  int directory(const struct stat& facts, int parent) {
    Names names;
    names.count = scandir(absolute(), &names.all, nullptr, nullptr);
    if (names.count < 0) {
      names.count = 0;
      return errno == EACCES ? report(facts, FTW_DNR) : -1;
    }
    if (!(flags_ & FTW_DEPTH)) {
      if (int result = report(facts, FTW_D)) return result;
    }
    int length = static_cast<int>(path_.length), base = about_.base;
    if ((flags_ & FTW_CHDIR) && enter(length)) return -1;
    int result = entries(names);
    if ((flags_ & FTW_ACTIONRETVAL) && result == FTW_SKIP_SIBLINGS) result = 0;
    path_.cut(static_cast<size_t>(length));
    about_.base = base;
    // glibc reports a directory before it goes back from it.
    if (result == 0 && (flags_ & FTW_DEPTH)) result = report(facts, FTW_DP);
    bool goes_on = result == 0 || ((flags_ & FTW_ACTIONRETVAL) && result != -1 && result != FTW_STOP);
    if (parent >= 0 && (flags_ & FTW_CHDIR) && goes_on && enter(parent)) return -1;
    return result;
  }

  int entries(const Names& names) {
    size_t length = path_.length;
    int result = 0;
    ++about_.level;
    for (int i = 0; i < names.count && result == 0; ++i) {
      const char* name = names.all[i]->d_name;
      if (!std::strcmp(name, ".") || !std::strcmp(name, "..")) continue;
      path_.cut(length);
      bool rooted = path_.text[length - 1] == '/';
      if ((!rooted && !path_.append("/")) || !path_.append(name)) {
        result = answer(-ENAMETOOLONG);
        break;
      }
      about_.base = static_cast<int>(length) + !rooted;
      result = entry(static_cast<int>(length));
    }
    --about_.level;
    return result;
  }

  int report(const struct stat& facts, int kind) {
    if (full_) return full_(path_.text, &facts, kind, &about_);
    if (kind == FTW_SL) kind = FTW_F;
    if (kind == FTW_SLN) kind = FTW_NS;
    if (kind == FTW_DP) kind = FTW_D;
    return plain_(path_.text, &facts, kind);
  }

  int look(struct stat& facts) {
    return flags_ & FTW_PHYS ? lstat(absolute(), &facts) : stat(absolute(), &facts);
  }
  bool is_lost_link(struct stat& facts) {
    return !(flags_ & FTW_PHYS) && lstat(absolute(), &facts) == 0 && S_ISLNK(facts.st_mode);
  }

  // Links that are followed may lead round.
  bool is_new(const struct stat& facts) {
    if (flags_ & FTW_PHYS) return true;
    auto* own = static_cast<Place*>(std::malloc(sizeof(Place)));
    if (!own) return false;
    *own = {facts.st_dev, facts.st_ino};
    auto** known = static_cast<Place**>(tsearch(own, &seen_, compare));
    if (known && *known == own) return true;
    std::free(own);
    return false;
  }

  // The layer may stand in another file system; what it holds belongs to the one that it lies over.
  dev_t device_of(const struct stat& facts) {
    Found found;
    struct stat users;
    Follow follow = follow_unless(flags_ & FTW_PHYS);
    if (find(AT_FDCWD, absolute(), follow, found) || found.kind != Kind::held) return facts.st_dev;
    while (sys::stat(found.path.text, &users)) {
      const char* slash = std::strrchr(found.path.text, '/');
      if (!slash || slash == found.path.text) return facts.st_dev;
      found.path.cut(static_cast<size_t>(slash - found.path.text));
    }
    return users.st_dev;
  }

  // The path as it is asked for, wherever the process now stands.
  const char* absolute() {
    if (!(flags_ & FTW_CHDIR) || path_.text[0] == '/') return path_.text;
    asked_ = start_;
    return asked_.append("/") && asked_.append(path_.text) ? asked_.text : path_.text;
  }

  // To the directory that so much of the path stands for.
  int enter(int length) {
    if (length == 0) return 0;
    Text whole = path_;
    path_.cut(static_cast<size_t>(length));
    int result = chdir(absolute());
    path_ = whole;
    return result;
  }

  int clean(int result) const {
    bool skipped = result == FTW_SKIP_SUBTREE || result == FTW_SKIP_SIBLINGS;
    return (flags_ & FTW_ACTIONRETVAL) && skipped ? 0 : result;
  }

  const __nftw_func_t full_;
  const __ftw_func_t plain_;
  const int flags_;
  Text path_, start_, asked_;
  FTW about_{};
  dev_t device_ = 0;
  void* seen_ = nullptr;
};

}  // namespace

MAYA_EXPORT int nftw(const char* path, __nftw_func_t each, int descriptors, int flags) {
  MAYA_NEXT(nftw);
  return active() ? Walk(each, nullptr, flags).run(path) : next(path, each, descriptors, flags);
}
MAYA_EXPORT int ftw(const char* path, __ftw_func_t each, int descriptors) {
  MAYA_NEXT(ftw);
  return active() ? Walk(nullptr, each, 0).run(path) : next(path, each, descriptors);
}
// `struct stat64` is `struct stat` on this architecture.
MAYA_EXPORT int nftw64(const char* path, __nftw64_func_t each, int descriptors, int flags) {
  return nftw(path, reinterpret_cast<__nftw_func_t>(each), descriptors, flags);
}
MAYA_EXPORT int ftw64(const char* path, __ftw64_func_t each, int descriptors) {
  return ftw(path, reinterpret_cast<__ftw_func_t>(each), descriptors);
}
