#include "peer_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace maya {

namespace {

// Two numbers of /proc/PID/stat by their place (from 1); false when the process is gone.
bool read_stat(int pid, int first, uint64_t* a, int second, uint64_t* b) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[1024];
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return false;
  text[bytes] = 0;
  // The command name may hold anything, so fields are counted from its closing parenthesis.
  const char* at = std::strrchr(text, ')');
  if (!at || at[1] == 0 || at[2] == 'Z' || at[2] == 'X') return false;
  for (int field = 2; at && field < std::max(first, second); ++field) {
    at = std::strchr(at + 1, ' ');
    if (at && field + 1 == first) *a = std::strtoull(at + 1, nullptr, 10);
    if (at && field + 1 == second) *b = std::strtoull(at + 1, nullptr, 10);
  }
  return at != nullptr;
}

}  // namespace

uint64_t process_start(int pid) {
  uint64_t start = 0;
  return read_stat(pid, 22, &start, 22, &start) ? start : 0;
}

bool process_alive(int pid, uint64_t start) {
  return process_start(pid) == start;
}

uint64_t process_cpu_ns(int pid) {
  static const uint64_t tick_ns = 1000000000u / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  uint64_t user = 0;
  uint64_t kernel = 0;
  return read_stat(pid, 14, &user, 15, &kernel) ? (user + kernel) * tick_ns : 0;
}

uint64_t process_bytes(int pid) {
  std::string path = "/proc/" + std::to_string(pid) + "/io";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return 0;
  unsigned long long in = 0;
  unsigned long long out = 0;
  if (std::fscanf(file, "rchar: %llu wchar: %llu", &in, &out) != 2) in = out = 0;
  std::fclose(file);
  return in + out;
}

}  // namespace maya
