#include "failure.h"

#include <fcntl.h>
#include <unistd.h>

#include "maya/record.h"
#include "maya/run_files.h"
#include "maya/runtime.h"

namespace maya {

void fail_job(const std::string& reason) {
  inform(reason.c_str());
  if (config().run_dir.empty()) return;
  // Written beside and linked: the launcher must never read half of it.
  std::string final_path = run_files::path(run_files::kFailure);
  std::string path = final_path + "." + std::to_string(getpid());
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  bool written = write(file, reason.data(), reason.size()) == static_cast<ssize_t>(reason.size());
  close(file);
  if (written && link(path.c_str(), final_path.c_str()) != 0) written = false;  // somebody was first
  unlink(path.c_str());
}

}  // namespace maya
