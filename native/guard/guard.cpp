// maya_guard [--remove DIRECTORY] LAUNCHER COMMAND...
//
// Runs COMMAND and ends as it does. When the process LAUNCHER, which started this one, is gone (kill -9
// included), everything that COMMAND has started is ended, and DIRECTORY is removed. Descendants cannot
// escape: orphans are handed to this process. If this process itself is killed, so is COMMAND.
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "descendants.h"

namespace {

constexpr int kLookMs = 200;  // where the launcher's end is not told
constexpr int kNapMs = 50;
constexpr int kGentleMs = 1000;  // for handlers of SIGTERM, and then for those who tidy up
constexpr char kPreload[] = "MAYA_GUARD_PRELOAD";
constexpr char kBegin[] = "--begin";

struct Task {
  const char* directory = nullptr;
  pid_t launcher = 0;
  char** command = nullptr;
};

Task read_arguments(int count, char** words) {
  Task task;
  int at = 1;
  if (at + 1 < count && std::strcmp(words[at], "--remove") == 0) {
    task.directory = words[at + 1];
    at += 2;
  }
  if (at < count) task.launcher = std::atoi(words[at++]);
  task.command = at < count ? words + at : nullptr;
  return task;
}

// These clean up shared memory once those who use it are gone; killed with them, they would leave it behind.
bool tidies_up(pid_t pid) {
  std::string line = maya::command_line(pid);
  return line.find("resource_tracker") != std::string::npos ||
         line.find("torch_shm_manager") != std::string::npos;
}

void reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

// True once nobody but those that tidy up (`spare`) is left.
bool end_all(int number, bool spare, int patience_ms) {
  for (int waited = 0;; waited += kNapMs) {
    reap();
    bool anybody = false;
    for (pid_t pid : maya::descendants()) {
      if (spare && tidies_up(pid)) continue;
      anybody = true;
      // Again in every round: the living may have started more.
      if (number == SIGKILL || waited == 0) kill(pid, number);
    }
    if (!anybody || waited >= patience_ms) return !anybody;
    usleep(kNapMs * 1000);
  }
}

int remove_entry(const char* path, const struct stat*, int, struct FTW*) {
  remove(path);
  return 0;
}

void end_everybody() {
  if (!end_all(SIGTERM, true, kGentleMs)) end_all(SIGKILL, true, kGentleMs);
  end_all(0, false, kGentleMs);
  end_all(SIGKILL, false, kGentleMs);
}

[[noreturn]] void tidy_away(const Task& task) {
  end_everybody();
  if (task.directory) nftw(task.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  std::exit(0);
}

[[noreturn]] void execute(char** command) {
  execvp(command[0], command);
  std::perror(command[0]);
  _exit(127);
}

// A static program loads nothing that could confine it. So this one is run again under what is preloaded,
// which confines it, and becomes the command then.
void begin_confined(char** command) {
  size_t count = 0;
  while (command[count]) ++count;
  std::vector<char*> words{const_cast<char*>("maya_guard"), const_cast<char*>(kBegin)};
  words.insert(words.end(), command, command + count + 1);
  execv("/proc/self/exe", words.data());
}

[[noreturn]] void become_command(const Task& task, pid_t guard, const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(1);  // it ended before it could be told to take us along
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const char* preload = getenv(kPreload);
  if (preload) setenv("LD_PRELOAD", preload, 1);
  unsetenv(kPreload);
  if (preload) begin_confined(task.command);
  execute(task.command);
}

[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  int number = WTERMSIG(status);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // the command has left its own
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), number);
  _exit(128 + number);
}

void watch(const Task& task, pid_t command, int signals) {
  int launcher = static_cast<int>(syscall(SYS_pidfd_open, task.launcher, 0));
  pollfd sources[] = {{signals, POLLIN, 0}, {launcher, POLLIN, 0}};
  while (getppid() == task.launcher) {
    poll(sources, launcher >= 0 ? 2 : 1, launcher >= 0 ? -1 : kLookMs);
    signalfd_siginfo ignored;
    while (read(signals, &ignored, sizeof ignored) > 0) {
    }
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != command) continue;
      end_everybody();  // of those without our variables nobody else would know
      end_like(status);
    }
    if (sources[1].revents) break;
  }
  tidy_away(task);
}

}  // namespace

int main(int count, char** words) {
  if (count > 2 && std::strcmp(words[1], kBegin) == 0) execute(words + 2);
  Task task = read_arguments(count, words);
  if (task.launcher <= 0 || !task.command) return 2;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // The launcher signals every process of the command by itself.
  sigset_t taken, before;
  sigemptyset(&taken);
  for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&taken, number);
  sigprocmask(SIG_BLOCK, &taken, &before);
  int signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  pid_t guard = getpid();
  pid_t command = fork();
  if (command == 0) become_command(task, guard, before);
  if (command < 0) return 1;
  for (int number = 0; number < 3; ++number)
    close(number);  // a reader of the command's output waits for its end
  watch(task, command, signals);
}
