#include "peer_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace maya {

uint64_t process_start(int pid) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[1024];
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  text[bytes] = 0;
  // The command name may hold anything, so fields are counted from its closing parenthesis.
  const char* at = std::strrchr(text, ')');
  if (!at || at[1] == 0 || at[2] == 'Z' || at[2] == 'X') return 0;
  for (int field = 2; field < 22 && at; ++field) at = std::strchr(at + 1, ' ');
  return at ? std::strtoull(at + 1, nullptr, 10) : 0;
}

bool process_alive(int pid, uint64_t start) {
  return process_start(pid) == start;
}

}  // namespace maya
