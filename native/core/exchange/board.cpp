// The job's board: one word per rank in a file of the run directory.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "../clock.h"
#include "board.h"
#include "maya/device.h"
#include "maya/exchange.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "peer_process.h"
#include "representatives.h"
#include "shared_file.h"

namespace maya {
namespace {

constexpr uint64_t kIdleAfter = uint64_t{10} * 1000 * 1000 * 1000;
constexpr uint64_t kIdleShare = 50;            // one part in so many: watchdog threads poll
constexpr uint64_t kTick = 10u * 1000 * 1000;  // of /proc, in nanoseconds

// A rank that failed leaves its word before it is gone, so that nobody takes its end for a good one.
enum class Notice : uint32_t { none = 0, ready, left, failed };
// A rank that is gone without a word may have been killed. Whoever started it has seen that long before.
constexpr uint64_t kForgottenAfter = uint64_t{10} * 1000 * 1000 * 1000;

struct Entry {
  std::atomic<Notice> notice;
  std::atomic<int32_t> pid;  // written after process_start: a pid without it would look dead
  uint64_t process_start;
  std::atomic<uint64_t> waiting_since;  // monotonic; 0: does not wait
  std::atomic<uint32_t> waits;          // threads of the process that wait
  char what[300];                       // the call in which it waits
};

struct Board {
  Entry* entries = nullptr;
  int ranks = 0;
  int launched = 0;  // ranks that run on this machine and therefore write here
  int mine = 0;
};

Board open_board() {
  Board board;
  const Config& job = config();
  if (job.world_size < 2 || job.rank < 0 || job.rank >= job.world_size || job.run_dir.empty()) return board;
  uint64_t bytes = static_cast<uint64_t>(job.world_size) * sizeof(Entry);
  int file = open_shared(run_files::path(run_files::kBoard), bytes);
  if (file < 0) return board;
  board.entries = static_cast<Entry*>(map_shared(file, bytes));
  close(file);
  board.ranks = job.world_size;
  board.mine = job.rank;
  const char* local = std::getenv("LOCAL_WORLD_SIZE");
  int here = local ? std::atoi(local) : 0;
  board.launched = here > 0 ? std::min(here, board.ranks) : board.ranks;
  if (!job.representatives_file.empty()) board.launched = launched_ranks();
  return board;
}

std::string failure_path(int rank) {
  return run_files::path(run_files::kFailedRank + std::to_string(rank));
}

void sign(Entry& entry) {
  // A launcher may have started this rank again after it had failed.
  if (entry.pid != 0 && entry.pid != getpid()) unlink(failure_path(config().rank).c_str());
  entry.process_start = process_start(getpid());
  entry.pid = getpid();
}

void notice_exit(int status, void*);

Board& board() {
  static Board instance = [] {
    Board opened = open_board();
    if (opened.entries) on_exit(notice_exit, nullptr);
    return opened;
  }();
  return instance;
}

void publish(Notice notice) {
  Board& all = board();
  if (!all.entries) return;
  sign(all.entries[all.mine]);
  all.entries[all.mine].notice = notice;
}

void publish_failure(int code) {
  // Once the run is being stopped, ranks fail because others are gone.
  if (access(run_files::path(run_files::kStop).c_str(), F_OK) == 0) return;
  Board& all = board();
  if (!all.entries || all.entries[all.mine].notice.load() == Notice::failed) return;
  publish(Notice::failed);
  if (std::FILE* file = std::fopen(failure_path(all.mine).c_str(), "w")) {
    std::fprintf(file, "%d\n", code);
    std::fclose(file);
  }
}

void notice_exit(int status, void*) {
  if (!usable_in_this_process()) return;
  if (status != 0) publish_failure(status);
  if (status == 0) publish(Notice::left);
}

bool long_gone(int rank) {
  static std::map<int, uint64_t> seen_gone;  // under the lock of the only caller
  uint64_t since = seen_gone.emplace(rank, monotonic_ns()).first->second;
  return monotonic_ns() - since > kForgottenAfter;
}

bool is_process(const Entry& entry) {
  return entry.pid != 0 && entry.notice.load() != Notice::left &&
         process_alive(entry.pid, entry.process_start);
}

// Has the process used hardly any CPU for a while? A rank may wait in the rendezvous store or a gloo group.
bool idle(int rank, const Entry& entry) {
  struct Look {
    uint64_t at_ns, cpu_ticks;
  };
  static std::map<int, Look> first_looks;  // under the lock of the only caller
  uint64_t ticks = process_cpu_ticks(entry.pid);
  Look& look = first_looks.emplace(rank, Look{monotonic_ns(), ticks}).first->second;
  uint64_t watched = monotonic_ns() - look.at_ns;
  if ((ticks - look.cpu_ticks) * kTick > watched / kIdleShare + kTick * 10) {
    look = Look{monotonic_ns(), ticks};
    return false;
  }
  return watched > kIdleAfter;
}

}  // namespace

void board_wait_begins(const std::string& what) {
  Board& all = board();
  if (!all.entries) return;
  Entry& mine = all.entries[all.mine];
  if (mine.waits.fetch_add(1) > 0) return;
  std::snprintf(mine.what, sizeof mine.what, "%s", what.c_str());
  mine.waiting_since = monotonic_ns();
}

void board_wait_ends() {
  Board& all = board();
  if (!all.entries) return;
  Entry& mine = all.entries[all.mine];
  if (mine.waits.fetch_sub(1) == 1) mine.waiting_since = 0;
}

std::string board_all_waiting(uint64_t since_ns) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  Board& all = board();
  if (!all.entries) return "";
  std::string who;
  int waiting = 0;
  for (int i = 0; i < all.ranks; ++i) {
    const Entry& entry = all.entries[i];
    if (!is_process(entry)) continue;
    uint64_t since = entry.waiting_since.load();
    if (since != 0 && monotonic_ns() - since < since_ns) return "";
    if (since == 0 && !idle(i, entry)) return "";
    const char* what = since ? entry.what : "a wait outside the device's libraries";
    if (++waiting <= 8) who += (who.empty() ? "rank " : "; rank ") + std::to_string(i) + " in " + what;
  }
  return waiting >= 2 ? who : "";
}

void board_join() {
  publish(Notice::none);
}

void board_publish_ready() {
  publish(Notice::ready);
}

void board_leave() {
  publish(Notice::left);
}

// A rank that ended well is not waited for, one that failed ends the run by itself.
bool board_all_ready() {
  static std::mutex lock;
  Board& all = board();
  if (!all.entries) return true;
  std::lock_guard<std::mutex> guard(lock);
  int done = 0;
  bool all_done = true;
  for (int i = 0; i < all.ranks && all_done; ++i) {
    const Entry& entry = all.entries[i];
    if (entry.pid == 0) continue;
    Notice notice = entry.notice.load();
    if (notice == Notice::failed) return false;
    // What is ready may still be killed before the others are: looked at below, for it costs a system call.
    bool finished = notice != Notice::none || (!is_process(entry) && long_gone(i));
    all_done = finished;
    done += finished;
  }
  if (!all_done || done < all.launched) return false;
  for (int i = 0; i < all.ranks; ++i) {
    const Entry& entry = all.entries[i];
    bool silent = entry.pid != 0 && entry.notice.load() != Notice::left && !is_process(entry);
    if (silent && !long_gone(i)) return false;
  }
  return true;
}

}  // namespace maya

void maya_rank_failed() {
  if (maya::usable_in_this_process()) maya::publish_failure(1);
}
