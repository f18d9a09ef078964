#include "shared_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "layout.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "peer_process.h"

namespace maya {
namespace {

constexpr char kPrefix[] = "maya-comm-";
constexpr char kMemoryDirectory[] = "/dev/shm";

bool abandoned(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  Lobby lobby;
  bool all_gone = pread(file, &lobby, sizeof lobby, 0) == sizeof lobby && lobby.size > 0;
  bool any = false;
  for (uint32_t i = 0; all_gone && i < lobby.size; ++i) {
    Slot slot;
    off_t at = static_cast<off_t>(sizeof lobby + i * sizeof slot);
    if (pread(file, &slot, sizeof slot, at) != sizeof slot || slot.pid == 0) continue;
    any = true;
    all_gone = !process_alive(slot.pid, slot.process_start);
  }
  close(file);
  return any && all_gone;
}

void sweep(const char* directory) {
  DIR* list = opendir(directory);
  if (!list) return;
  while (dirent* entry = readdir(list)) {
    if (std::strncmp(entry->d_name, kPrefix, sizeof kPrefix - 1) != 0) continue;
    std::string path = std::string(directory) + "/" + entry->d_name;
    if (abandoned(path)) unlink(path.c_str());
  }
  closedir(list);
}

std::string meeting_directory() {
  if (config().run_dir.empty()) {
    sweep(kMemoryDirectory);
    return kMemoryDirectory;
  }
  std::string directory = run_files::path(run_files::kExchange);
  mkdir(directory.c_str(), 0700);
  return directory;
}

}  // namespace

std::string meeting_path(uint64_t id) {
  char name[64];
  std::snprintf(name, sizeof name, "/%s%016llx", kPrefix, static_cast<unsigned long long>(id));
  return meeting_directory() + name;
}

int open_shared(const std::string& path, uint64_t bytes) {
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  struct stat status;
  bool long_enough = fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) >= bytes;
  if (long_enough || ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

void* map_shared(int file, uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace maya
