// Reading directories that the layer has a part in.
#include <dirent.h>
#include <glob.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "listing.h"
#include "view.h"

using namespace maya::files;

namespace {

// Stands for a DIR; known by its address.
struct Merged {
  std::atomic<bool> used;
  int file;
  size_t at;
  Listing* listing;
};
constexpr size_t kMost = 4096;
Merged merged[kMost];

Merged* as_merged(DIR* directory) {
  auto* found = reinterpret_cast<Merged*>(directory);
  return found >= merged && found < merged + kMost ? found : nullptr;
}

DIR* take(int file, const Found& found) {
  for (Merged& slot : merged) {
    bool used = false;
    if (!slot.used.compare_exchange_strong(used, true)) continue;
    slot.file = file;
    slot.at = 0;
    slot.listing = new Listing;
    int error = slot.listing->read(found);
    if (!error) return reinterpret_cast<DIR*>(&slot);
    delete slot.listing;
    slot.used = false;
    return answer(error), nullptr;
  }
  return errno = EMFILE, nullptr;
}

// Whether both the user and the layer have entries there.
bool is_mixed(const Found& found) {
  struct stat about;
  return found.kind == Kind::held && users_own(found, &about) && S_ISDIR(about.st_mode);
}

dirent64* read_next(Merged& directory) {
  Listing& listing = *directory.listing;
  return directory.at < listing.count() ? listing.entry(directory.at++) : nullptr;
}

}  // namespace

MAYA_EXPORT DIR* fdopendir(int file) {
  MAYA_NEXT(fdopendir);
  if (layer_is_empty()) return next(file);
  Found found;
  if (find(file, ".", Follow::yes, found) || !found.is_directory() || !is_mixed(found)) return next(file);
  return take(file, found);
}

MAYA_EXPORT DIR* opendir(const char* path) {
  MAYA_NEXT(opendir);
  View view(AT_FDCWD, path, Follow::yes);
  if (view.failed()) return nullptr;
  if (!view.is_held()) return next(view.path());
  int file = sys::open(view.path(), O_RDONLY | O_DIRECTORY);
  if (file < 0) return answer(file), nullptr;
  DIR* directory = fdopendir(file);
  if (!directory) sys::close(file);
  return directory;
}

MAYA_EXPORT dirent64* readdir64(DIR* directory) {
  MAYA_NEXT(readdir64);
  Merged* own = as_merged(directory);
  return own ? read_next(*own) : next(directory);
}
MAYA_EXPORT dirent* readdir(DIR* directory) {
  MAYA_NEXT(readdir);
  Merged* own = as_merged(directory);
  return own ? reinterpret_cast<dirent*>(read_next(*own)) : next(directory);
}
MAYA_EXPORT int closedir(DIR* directory) {
  MAYA_NEXT(closedir);
  Merged* own = as_merged(directory);
  if (!own) return next(directory);
  sys::close(own->file);
  delete own->listing;
  own->used = false;
  return 0;
}
MAYA_EXPORT void rewinddir(DIR* directory) noexcept {
  MAYA_NEXT(rewinddir);
  if (Merged* own = as_merged(directory)) return void(own->at = 0);
  next(directory);
}
MAYA_EXPORT long telldir(DIR* directory) noexcept {
  MAYA_NEXT(telldir);
  Merged* own = as_merged(directory);
  return own ? static_cast<long>(own->at) : next(directory);
}
MAYA_EXPORT void seekdir(DIR* directory, long at) noexcept {
  MAYA_NEXT(seekdir);
  if (Merged* own = as_merged(directory)) return void(own->at = static_cast<size_t>(at));
  next(directory, at);
}
MAYA_EXPORT int dirfd(DIR* directory) noexcept {
  MAYA_NEXT(dirfd);
  Merged* own = as_merged(directory);
  return own ? own->file : next(directory);
}

// libc's own walks call none of the above; these do.
MAYA_EXPORT int scandir(const char* path, dirent*** out, int (*keep)(const dirent*),
                        int (*compare)(const dirent**, const dirent**)) {
  DIR* directory = opendir(path);
  if (!directory) return -1;
  dirent** names = nullptr;
  size_t count = 0;
  while (dirent* entry = readdir(directory)) {
    if (keep && !keep(entry)) continue;
    names = static_cast<dirent**>(std::realloc(names, (count + 1) * sizeof *names));
    names[count] = static_cast<dirent*>(std::malloc(entry->d_reclen));
    std::memcpy(names[count++], entry, entry->d_reclen);
  }
  closedir(directory);
  if (compare && count) {
    std::qsort(names, count, sizeof *names, reinterpret_cast<int (*)(const void*, const void*)>(compare));
  }
  *out = names ? names : static_cast<dirent**>(std::malloc(sizeof *names));
  return static_cast<int>(count);
}

namespace {
// These four are glob's for reading directories and asking about names.
dirent* glob_read(void* directory) {
  return readdir(static_cast<DIR*>(directory));
}
void* glob_open(const char* path) {
  return opendir(path);
}
void glob_close(void* directory) {
  closedir(static_cast<DIR*>(directory));
}
}  // namespace

MAYA_EXPORT int glob(const char* pattern, int flags, int (*failed)(const char*, int), glob_t* out) {
  MAYA_NEXT(glob);
  if (layer_is_empty() || (flags & GLOB_ALTDIRFUNC)) return next(pattern, flags, failed, out);
  out->gl_readdir = glob_read;
  out->gl_opendir = glob_open;
  out->gl_closedir = glob_close;
  out->gl_lstat = lstat;
  out->gl_stat = stat;
  return next(pattern, flags | GLOB_ALTDIRFUNC, failed, out);
}
