// System calls without libc's wrappers: those are what this library replaces. Answers are -errno, as the
// kernel's.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

namespace maya::files::sys {

template <class T>
long word(T value) {
  return (long)value;  // pointers and numbers alike: the kernel takes six machine words
}

inline long call6(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
#error "only x86-64 is supported"
#endif
}

// Says of a call that it is ours, in the sixth word, which calls on files have no use for (trap.cpp).
constexpr uint64_t kOwn = 0x6d617961'66696c65;  // "mayafile"

template <class A = int, class B = int, class C = int, class D = int, class E = int, class F = uint64_t>
long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = kOwn) {
  return call6(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

inline int lstat(const char* path, struct stat* out) {
  return static_cast<int>(call(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW));
}
inline int stat(const char* path, struct stat* out) {
  return static_cast<int>(call(SYS_newfstatat, AT_FDCWD, path, out, 0));
}
inline int open(const char* path, int flags, mode_t mode = 0) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}
inline void close(int descriptor) {
  call(SYS_close, descriptor);
}
inline int mkdir(const char* path, mode_t mode) {
  return static_cast<int>(call(SYS_mkdirat, AT_FDCWD, path, mode));
}
inline int unlink(const char* path, int flags = 0) {
  return static_cast<int>(call(SYS_unlinkat, AT_FDCWD, path, flags));
}
inline int set_times(const char* path, const struct timespec times[2]) {
  return static_cast<int>(call(SYS_utimensat, AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW));
}
// Real bits of the effective user, as the operation itself would be judged.
inline int access(const char* path, int mode) {
  return static_cast<int>(call(SYS_faccessat2, AT_FDCWD, path, mode, AT_EACCESS));
}

}  // namespace maya::files::sys
