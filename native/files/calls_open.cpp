// open and its relatives.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "changes.h"
#include "view.h"

using namespace maya::files;

namespace {

mode_t mode_of(int flags, va_list arguments) {
  bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

bool only_reads(int flags) {
  return (flags & O_PATH) || !((flags & (O_ACCMODE | O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE);
}

int open_at(int directory, const char* path, int flags, mode_t mode) {
  if (!active() || !path) return answer(sys::call(SYS_openat, directory, path, flags, mode));
  if (!only_reads(flags)) return answer(open_file(directory, path, flags, mode));
  View view(directory, path, follow_unless(flags & O_NOFOLLOW));
  if (view.failed()) return -1;
  return answer(sys::call(SYS_openat, view.directory(), view.path(), flags, mode));
}

// The flags of fopen's mode.
int flags_of(const char* mode) {
  int flags = *mode == 'w' ? O_CREAT | O_TRUNC | O_WRONLY : *mode == 'a' ? O_CREAT | O_APPEND | O_WRONLY : 0;
  for (const char* at = mode; *at && *at != ','; ++at) {
    if (*at == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*at == 'x') flags |= O_EXCL;
    if (*at == 'e') flags |= O_CLOEXEC;
  }
  return flags;
}

template <class Open>
FILE* open_stream(const char* path, const char* mode, Open open) {
  if (!active() || !path || !mode) return open(path);
  Text place;
  int flags = flags_of(mode);
  if (only_reads(flags)) {
    View view(AT_FDCWD, path, Follow::yes);
    return view.failed() ? nullptr : open(view.path());
  }
  int error = prepare_open(AT_FDCWD, path, flags, place);
  return error ? answer(error), nullptr : open(place.text);
}

// By a descriptor: libc's own opening would come back to us by way of the kernel.
FILE* open_new_stream(const char* path, const char* mode) {
  int flags = flags_of(mode);
  int file = open_file(AT_FDCWD, path, flags, 0666);
  if (file < 0) return answer(file), nullptr;
  FILE* stream = fdopen(file, mode);
  if (!stream) sys::close(file);
  return stream;
}

bool writes_stream(const char* path, const char* mode) {
  return active() && path && mode && !only_reads(flags_of(mode));
}

}  // namespace

#define MAYA_OPEN(name)                                    \
  MAYA_EXPORT int name(const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    mode_t mode = mode_of(flags, arguments);               \
    va_end(arguments);                                     \
    return open_at(AT_FDCWD, path, flags, mode);           \
  }
#define MAYA_OPENAT(name)                                                 \
  MAYA_EXPORT int name(int directory, const char* path, int flags, ...) { \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    mode_t mode = mode_of(flags, arguments);                              \
    va_end(arguments);                                                    \
    return open_at(directory, path, flags, mode);                         \
  }
MAYA_OPEN(open)
MAYA_OPEN(open64)
MAYA_OPENAT(openat)
MAYA_OPENAT(openat64)

// Fortified forms, and those without O_CREAT.
MAYA_EXPORT int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
MAYA_EXPORT int __open64_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
MAYA_EXPORT int __openat_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}
MAYA_EXPORT int __openat64_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}
MAYA_EXPORT int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
MAYA_EXPORT int creat64(const char* path, mode_t mode) {
  return creat(path, mode);
}

MAYA_EXPORT FILE* fopen(const char* path, const char* mode) {
  MAYA_NEXT(fopen);
  if (writes_stream(path, mode)) return open_new_stream(path, mode);
  return open_stream(path, mode, [&](const char* place) { return next(place, mode); });
}
MAYA_EXPORT FILE* fopen64(const char* path, const char* mode) {
  MAYA_NEXT(fopen64);
  if (writes_stream(path, mode)) return open_new_stream(path, mode);
  return open_stream(path, mode, [&](const char* place) { return next(place, mode); });
}
MAYA_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  MAYA_NEXT(freopen);
  return open_stream(path, mode, [&](const char* place) { return next(place, mode, stream); });
}
MAYA_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  MAYA_NEXT(freopen64);
  return open_stream(path, mode, [&](const char* place) { return next(place, mode, stream); });
}
