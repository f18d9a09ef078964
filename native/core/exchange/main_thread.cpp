#include "main_thread.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "steps/backward.h"

namespace maya {
namespace {

// Waits of the main thread, or of the threads that run backward.
class RankWaits {
 public:
  void begin(const std::string& what) {
    std::lock_guard<std::mutex> guard(lock_);
    if (depth_++ == 0) what_ = what;
  }
  void end() {
    std::lock_guard<std::mutex> guard(lock_);
    if (--depth_ == 0) what_.clear();
  }
  std::string what() {
    std::lock_guard<std::mutex> guard(lock_);
    return what_;
  }

 private:
  std::mutex lock_;
  int depth_ = 0;
  std::string what_;
};

// Never destroyed: threads of the program may outlive the exit handlers.
RankWaits& waits_of_main() {
  static RankWaits* instance = new RankWaits;
  return *instance;
}

RankWaits& waits_of_backward() {
  static RankWaits* instance = new RankWaits;
  return *instance;
}

RankWaits* waits_of_this_thread() {
  if (syscall(SYS_gettid) == getpid()) return &waits_of_main();
  return on_backward_thread() ? &waits_of_backward() : nullptr;
}

struct SystemCall {
  long number = -1;  // -1: none, or not to be told
  unsigned long long arguments[4] = {};
};

SystemCall main_threads_call() {
  SystemCall call;
  std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/syscall";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return call;
  auto& to = call.arguments;
  if (std::fscanf(file, "%ld %llx %llx %llx %llx", &call.number, &to[0], &to[1], &to[2], &to[3]) != 5)
    call.number = -1;
  std::fclose(file);
  return call;
}

// A thread of this process has to wake it: there is no time limit.
bool is_parked(const SystemCall& call) {
  return call.number == SYS_futex && call.arguments[3] == 0;
}

// The only descriptor that the call waits for; -1: it waits for something else.
int awaited_descriptor(const SystemCall& call) {
  if (call.number == SYS_recvfrom || call.number == SYS_read) return static_cast<int>(call.arguments[0]);
#ifdef SYS_poll
  if (call.number == SYS_poll && call.arguments[1] == 1) {
    pollfd asked{-1, 0, 0};
    iovec to{&asked, sizeof asked};
    // The thread may have gone on, and its stack with it.
    iovec from{reinterpret_cast<void*>(call.arguments[0]), sizeof asked};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof asked) return asked.fd;
  }
#endif
  return -1;
}

bool leads_to_rendezvous(int descriptor) {
  const char* port = std::getenv("MASTER_PORT");
  sockaddr_in6 peer{};  // the port is at the same place for both families
  socklen_t bytes = sizeof peer;
  if (!port || descriptor < 0 || getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0)
    return false;
  bool internet = peer.sin6_family == AF_INET || peer.sin6_family == AF_INET6;
  return internet && ntohs(peer.sin6_port) == std::atoi(port);
}

}  // namespace

void rank_wait_begins(const std::string& what) {
  if (RankWaits* waits = waits_of_this_thread()) waits->begin(what);
}

void rank_wait_ends() {
  if (RankWaits* waits = waits_of_this_thread()) waits->end();
}

std::string main_thread_waits_for() {
  std::string what = waits_of_main().what();
  if (!what.empty()) return what;
  SystemCall call = main_threads_call();
  if (is_parked(call)) return waits_of_backward().what();
  return leads_to_rendezvous(awaited_descriptor(call)) ? "the job's rendezvous store" : "";
}

}  // namespace maya
