#include "descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace maya {
namespace {

std::string read_file(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  char text[4096];
  ssize_t bytes = read(file, text, sizeof text);
  close(file);
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : "";
}

// 0 for one that is gone or only waits to be reaped.
pid_t parent_of(const char* pid) {
  std::string stat = read_file(std::string("/proc/") + pid + "/stat");
  // The command's name stands in parentheses and may itself hold any character.
  size_t at = stat.rfind(") ");
  if (at == std::string::npos || at + 4 >= stat.size() || stat[at + 2] == 'Z') return 0;
  return std::atoi(stat.c_str() + at + 4);
}

std::map<pid_t, std::vector<pid_t>> children_by_parent() {
  std::map<pid_t, std::vector<pid_t>> children;
  DIR* list = opendir("/proc");
  if (!list) return children;
  while (dirent* entry = readdir(list)) {
    pid_t pid = std::atoi(entry->d_name);
    if (pid > 0) children[parent_of(entry->d_name)].push_back(pid);
  }
  closedir(list);
  return children;
}

}  // namespace

std::vector<pid_t> descendants() {
  auto children = children_by_parent();
  std::vector<pid_t> found;
  std::vector<pid_t> queue{getpid()};
  while (!queue.empty()) {
    auto below = children.find(queue.back());
    queue.pop_back();
    if (below == children.end()) continue;
    found.insert(found.end(), below->second.begin(), below->second.end());
    queue.insert(queue.end(), below->second.begin(), below->second.end());
  }
  return found;
}

std::string command_line(pid_t pid) {
  std::string text = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace maya
