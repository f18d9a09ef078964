// The job's board: one word per rank in a file of the run directory.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "../clock.h"
#include "../helper.h"
#include "board.h"
#include "maya/device.h"
#include "maya/exchange.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "peer_process.h"
#include "representatives.h"
#include "shared_file.h"
#include "stall.h"

namespace maya {
namespace {

// A rank that failed leaves its word before it is gone, so that nobody takes its end for a good one.
enum class Notice : uint32_t { none = 0, ready, left, failed };
// A rank that is gone without a word may have been killed. Whoever started it has seen that long before.
constexpr uint64_t kForgottenAfter = uint64_t{10} * 1000 * 1000 * 1000;

struct Entry {
  std::atomic<Notice> notice;
  std::atomic<int32_t> pid;  // written after process_start: a pid without it would look dead
  std::atomic<uint64_t> process_start;
  std::atomic<uint64_t> still_since;  // monotonic; 0: something in the process may still go on
  std::atomic<uint32_t> waits;        // threads of the process that wait
  char what[300];                     // the call in which it waits
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
  if (!all.entries || is_helper()) return;
  sign(all.entries[all.mine]);
  all.entries[all.mine].notice = notice;
}

void publish_failure(int code) {
  // Once the run is being stopped, ranks fail because others are gone.
  if (access(run_files::path(run_files::kStop).c_str(), F_OK) == 0 || has_older_process()) return;
  Board& all = board();
  if (!all.entries || all.entries[all.mine].notice.load() == Notice::failed) return;
  publish(Notice::failed);
  // Renamed into place: the launcher must never read half of it.
  std::string path = failure_path(all.mine);
  std::string partial = path + "." + std::to_string(getpid());
  std::FILE* file = std::fopen(partial.c_str(), "w");
  if (!file) return;
  std::fprintf(file, "%d %llu\n", code, static_cast<unsigned long long>(monotonic_ns()));
  if (std::fclose(file) == 0) std::rename(partial.c_str(), path.c_str());
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

}  // namespace

void board_tell_wait(const std::string& what) {
  Board& all = board();
  if (!all.entries) return;
  Entry& mine = all.entries[all.mine];
  if (!what.empty()) std::snprintf(mine.what, sizeof mine.what, "%s", what.c_str());
  mine.waits = !what.empty();
}

// A rank that has not come yet may be compiling, downloading or reading its data.
bool board_all_wait() {
  Board& all = board();
  int waiting = 0;
  int ended = 0;
  for (int i = 0; i < all.ranks; ++i) {
    const Entry& entry = all.entries[i];
    if (entry.pid == 0) continue;
    bool lives = is_process(entry);
    if (lives && !entry.waits.load()) return false;
    waiting += lives;
    ended += !lives;
  }
  return waiting >= 2 && waiting + ended >= all.launched;
}

uint64_t board_others_cpu_ns() {
  Board& all = board();
  uint64_t used = 0;
  for (int i = 0; i < all.ranks; ++i) {
    const Entry& entry = all.entries[i];
    if (i != all.mine && is_process(entry)) used += process_cpu_ns(entry.pid);
  }
  return used;
}

void board_tell_standstill(uint64_t since_ns) {
  Board& all = board();
  if (all.entries) all.entries[all.mine].still_since = since_ns;
}

std::string board_cycle(uint64_t least_ns) {
  Board& all = board();
  std::string who;
  int shown = 0;
  for (int i = 0; i < all.ranks; ++i) {
    const Entry& entry = all.entries[i];
    if (entry.pid == 0 || !is_process(entry)) continue;
    uint64_t since = entry.still_since.load();
    uint64_t now = monotonic_ns();
    if (since == 0 || now < since + least_ns) return "";
    if (++shown <= 8) who += (who.empty() ? "rank " : "; rank ") + std::to_string(i) + " in " + entry.what;
  }
  return who;
}

void board_join() {
  publish(Notice::none);
  if (board().entries) watch_for_stall();
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
