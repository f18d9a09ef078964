// Temporary files: libc makes them by calls of its own that cannot be replaced.
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "changes.h"
#include "view.h"

using namespace maya::files;

namespace {

constexpr int kAttempts = 256;

// Calls `make` with new names until one is free.
template <class Make>
int with_new_name(char* name, int suffix, Make make) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  size_t length = std::strlen(name);
  if (suffix < 0 || length < static_cast<size_t>(suffix) + 6) return answer(-EINVAL);
  char* blanks = name + length - static_cast<size_t>(suffix) - 6;
  if (std::memcmp(blanks, "XXXXXX", 6)) return answer(-EINVAL);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    unsigned char random[6];
    sys::call(SYS_getrandom, random, sizeof random, 0);
    for (int i = 0; i < 6; ++i) blanks[i] = letters[random[i] % 62];
    int result = make();
    if (result != -EEXIST) return answer(result);
  }
  return answer(-EEXIST);
}

int make_file(char* name, int suffix, int flags) {
  int wanted = (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL;
  return with_new_name(name, suffix, [&] { return open_file(AT_FDCWD, name, wanted, 0600); });
}

}  // namespace

#define MAYA_MAKE_FILE(function, signature, call, suffix, flags)  \
  MAYA_EXPORT int function signature {                            \
    MAYA_NEXT(function);                                          \
    return active() ? make_file(name, suffix, flags) : next call; \
  }
MAYA_MAKE_FILE(mkstemp, (char* name), (name), 0, 0)
MAYA_MAKE_FILE(mkstemp64, (char* name), (name), 0, 0)
MAYA_MAKE_FILE(mkostemp, (char* name, int flags), (name, flags), 0, flags)
MAYA_MAKE_FILE(mkostemp64, (char* name, int flags), (name, flags), 0, flags)
MAYA_MAKE_FILE(mkstemps, (char* name, int suffix), (name, suffix), suffix, 0)
MAYA_MAKE_FILE(mkstemps64, (char* name, int suffix), (name, suffix), suffix, 0)
MAYA_MAKE_FILE(mkostemps, (char* name, int suffix, int flags), (name, suffix, flags), suffix, flags)
MAYA_MAKE_FILE(mkostemps64, (char* name, int suffix, int flags), (name, suffix, flags), suffix, flags)

MAYA_EXPORT char* mkdtemp(char* name) {
  MAYA_NEXT(mkdtemp);
  if (!active()) return next(name);
  int made = with_new_name(name, 0, [&] { return make_directory_at(AT_FDCWD, name, 0700); });
  return made ? nullptr : name;
}

MAYA_EXPORT FILE* tmpfile() {
  MAYA_NEXT(tmpfile);
  if (!active()) return next();
  char name[] = "/tmp/tmpfXXXXXX";
  int file = make_file(name, 0, 0);
  if (file < 0) return nullptr;
  remove_at(AT_FDCWD, name, 0);
  return fdopen(file, "w+");
}
MAYA_EXPORT FILE* tmpfile64() {
  return tmpfile();
}
