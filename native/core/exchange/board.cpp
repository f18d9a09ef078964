// The job's board: one word per rank in a file of the run directory.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "maya/exchange.h"
#include "maya/runtime.h"
#include "peer_process.h"
#include "representatives.h"
#include "shared_file.h"

namespace maya {
namespace {

enum class Notice : uint32_t { none = 0, ready, left };

struct Entry {
  std::atomic<Notice> notice;
  std::atomic<int32_t> pid;  // written after process_start: a pid without it would look dead
  uint64_t process_start;
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
  int file = open_shared(job.run_dir + "/board", bytes);
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

void sign(Entry& entry) {
  entry.process_start = process_start(getpid());
  entry.pid = getpid();
}

Board& board() {
  static Board instance = open_board();
  return instance;
}

void publish(Notice notice) {
  Board& all = board();
  if (!all.entries) return;
  sign(all.entries[all.mine]);
  all.entries[all.mine].notice = notice;
}

}  // namespace

void board_join() {
  publish(Notice::none);
}

void board_publish_ready() {
  publish(Notice::ready);
}

void board_leave() {
  publish(Notice::left);
}

// A rank that is gone counts as ready: nobody need wait for it.
bool board_all_ready() {
  Board& all = board();
  if (!all.entries) return true;
  int done = 0;
  int known = 0;
  for (int i = 0; i < all.ranks; ++i) {
    Entry& entry = all.entries[i];
    bool noticed = entry.notice.load() != Notice::none;
    known += noticed || entry.pid != 0;
    done += noticed || (entry.pid != 0 && !process_alive(entry.pid, entry.process_start));
  }
  return done >= std::max(known, all.launched);
}

}  // namespace maya
