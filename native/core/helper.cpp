#include "helper.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "../guard/descendants.h"
#include "capture_file.h"
#include "exchange/peer_process.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "recorder.h"

namespace maya {
namespace {

std::atomic<bool> in_job{false};

bool lives(int pid) {
  return process_start(pid) != 0;
}

std::string rank_label() {
  return config().rank < 0 ? "" : std::to_string(config().rank);
}

bool is_the_rank(int pid) {
  CaptureState state = capture_state(run_files::path(capture_name(config().rank, pid)));
  return state == CaptureState::steps || (state == CaptureState::used && !steps_seen());
}

}  // namespace

// "RANK:PID,PID,...", the RANK empty where there is none.
std::vector<int> older_processes() {
  const char* text = std::getenv("MAYA_PROCESSES");
  std::string noted = text ? text : "";
  size_t at = noted.find(':');
  std::vector<int> found;
  if (at == std::string::npos || noted.substr(0, at) != rank_label()) return found;
  while (at != std::string::npos) {
    int pid = std::atoi(noted.c_str() + at + 1);
    if (pid > 0 && pid != getpid()) found.push_back(pid);
    at = noted.find(',', at + 1);
  }
  return found;
}

std::string command_line_of_this_process() {
  return command_line(getpid());
}

void join_job() {
  in_job = true;
}

bool is_helper() {
  if (in_job || config().run_dir.empty()) return false;
  std::vector<int> older = older_processes();
  return std::any_of(older.begin(), older.end(), [](int pid) { return lives(pid) && is_the_rank(pid); });
}

bool has_older_process() {
  std::vector<int> older = older_processes();
  return !in_job && std::any_of(older.begin(), older.end(), lives);
}

}  // namespace maya
