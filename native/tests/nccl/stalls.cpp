// Ranks that wait for each other, and ranks that only look as if they did.
#include <fcntl.h>

#include <ctime>
#include <string>
#include <thread>

#include "check.h"

namespace {

using Ints = std::vector<int64_t>;
constexpr int kSeconds = 5;  // the test lets ranks stand still for less

void from(void* comm, int root) {
  Buffer<int64_t> value(Ints{1});
  CHECK(ncclBroadcast(value.at, value.at, 1, kInt64, root, comm, nullptr) == 0);
}

struct Pair {
  void* first;
  void* second;
};

Pair join_twice(Meeting& meeting, int rank) {
  return Pair{join(meeting.ids[0], 2, rank), join(meeting.ids[1], 2, rank)};
}

// Each rank waits for what the other sends only afterwards.
void wait_for_each_other(const Pair& comms, int rank) {
  from(rank == 0 ? comms.first : comms.second, 1 - rank);
  from(rank == 0 ? comms.second : comms.first, rank);
}

void cycle(Meeting& meeting, int rank) {
  wait_for_each_other(join_twice(meeting, rank), rank);
}

void sleeper(Meeting& meeting, int rank) {
  void* comm = join(meeting.ids[0], 2, rank);
  if (rank == 1) sleep(kSeconds);
  from(comm, 1);
}

void latecomer(Meeting& meeting, int rank) {
  if (rank == 2) sleep(kSeconds);
  join(meeting.ids[0], 3, rank);
}

// The main thread sleeps and then sends what the other rank waits for, while a second thread waits.
void sleeping_main_thread(Meeting& meeting, int rank) {
  Pair comms = join_twice(meeting, rank);
  if (rank == 0) {
    from(comms.first, 1);
    from(comms.second, 0);
    return;
  }
  std::thread waits([&] {
    CHECK(cudaSetDevice(rank) == 0);
    from(comms.second, 0);
  });
  sleep(kSeconds);
  from(comms.first, 1);
  waits.join();
}

// A child that ends after some seconds and leaves a file; true in the child.
bool start_child(const char* what) {
  pid_t child = fork();
  if (child != 0) return false;
  char block[65536];
  time_t end = time(nullptr) + kSeconds;
  int zeros = open("/dev/zero", O_RDONLY);
  while (time(nullptr) < end) {
    if (std::strcmp(what, "reads") != 0) continue;
    CHECK(read(zeros, block, sizeof block) > 0);
    usleep(100 * 1000);
  }
  std::string path = std::string(std::getenv("MAYA_RUN_DIR")) + "/child-ended";
  close(open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  _exit(0);
}

template <const char* what>
void with_child(Meeting& meeting, int rank) {
  Pair comms = join_twice(meeting, rank);
  if (rank == 1) start_child(what);
  wait_for_each_other(comms, rank);
}

constexpr char kReads[] = "reads";
constexpr char kComputes[] = "computes";

}  // namespace

int main(int, char** arguments) {
  std::string what = arguments[1];
  if (what == "cycle") return run_ranks(2, cycle);
  if (what == "sleeper") return run_ranks(2, sleeper);
  if (what == "latecomer") return run_ranks(3, latecomer);
  if (what == "sleeping_main_thread") return run_ranks(2, sleeping_main_thread);
  if (what == "reads") return run_ranks(2, with_child<kReads>);
  if (what == "computes") return run_ranks(2, with_child<kComputes>);
  return 2;
}
