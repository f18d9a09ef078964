#include "handed.h"

#include <cstdio>
#include <cstdlib>

#include "settings.h"
#include "sys.h"

namespace maya::files {
namespace {

int number_behind(const char* path, const char* directory) {
  size_t bytes = std::strlen(directory);
  if (std::strncmp(path, directory, bytes) != 0 || path[bytes] < '0' || path[bytes] > '9') return -1;
  char* end;
  long number = std::strtol(path + bytes, &end, 10);
  return *end || number > INT_MAX ? -1 : static_cast<int>(number);
}

int descriptor_named(const char* path) {
  if (!std::strcmp(path, "/dev/stdout")) return 1;
  if (!std::strcmp(path, "/dev/stderr")) return 2;
  int number = number_behind(path, "/dev/fd/");
  return number >= 0 ? number : number_behind(path, "/proc/self/fd/");
}

}  // namespace

int handed_descriptor(const char* path) {
  int descriptor = descriptor_named(path);
  if (descriptor < 0) return -1;
  long flags = sys::call(SYS_fcntl, descriptor, F_GETFL);
  if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY) return -1;
  char link[32];
  Text target;
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long bytes = sys::call(SYS_readlinkat, AT_FDCWD, link, target.text, sizeof target.text - 1);
  if (bytes <= 0) return -1;
  target.cut(static_cast<size_t>(bytes));
  return target.starts_with(settings().root) ? -1 : descriptor;
}

}  // namespace maya::files
