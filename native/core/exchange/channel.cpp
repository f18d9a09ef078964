#include "channel.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "../clock.h"
#include "futex.h"
#include "maya/runtime.h"
#include "peer_process.h"
#include "shared_file.h"
#include "stall.h"

namespace maya {
namespace {

// How long a wait goes before it looks whether the process it waits for still exists.
constexpr uint64_t kNap = 100u * 1000 * 1000;
constexpr uint64_t kSoon = 500u * 1000 * 1000;

constexpr double kTimeout = 120.0;

uint64_t after(double fallback_s) {
  static const char* const text = std::getenv("MAYA_EXCHANGE_TIMEOUT");
  double seconds = text && *text ? std::atof(text) : fallback_s;
  return monotonic_ns() + static_cast<uint64_t>(std::max(seconds, 0.0) * 1e9);
}

// One nap on `word`, counted so that whoever changes it knows whether a wake-up is worth a system call.
void nap(std::atomic<uint32_t>& word, uint32_t seen, uint64_t deadline_ns, std::atomic<uint32_t>* sleepers) {
  uint64_t now = monotonic_ns();
  if (now >= deadline_ns) return;
  if (sleepers) sleepers->fetch_add(1);
  sleep_on(word, seen, std::min(kNap, deadline_ns - now));
  if (sleepers) sleepers->fetch_sub(1);
}

}  // namespace

uint64_t exchange_deadline() {
  return after(kTimeout);
}

uint64_t answer_deadline() {
  bool bounded = !config().run_dir.empty() && config().max_seconds > 0;
  return after(bounded ? kTimeout + config().max_seconds : kTimeout);
}

Channel::Channel(int file, char* control, int rank, int size)
    : file_(file),
      control_(control),
      rank_(rank),
      size_(size),
      layout_(size),
      owner_pid_(getpid()),
      sources_(static_cast<size_t>(size)) {}

std::shared_ptr<Channel> Channel::open(uint64_t id, int rank, int size, const Member& me) {
  std::string path = meeting_path(id);
  uint64_t bytes = Layout(size).control_bytes();
  int file = open_shared(path, bytes);
  if (file < 0) return nullptr;
  void* control = map_shared(file, bytes);
  if (!control) {
    close(file);
    return nullptr;
  }
  std::shared_ptr<Channel> channel(new Channel(file, static_cast<char*>(control), rank, size));
  channel->path_ = path;
  if (channel->enter(me)) return channel;
  channel->left_ = true;  // the place belongs to somebody else: do not mark it
  return nullptr;
}

Channel::~Channel() {
  leave();
  munmap(control_, layout_.control_bytes());
  close(file_);
}

Slot& Channel::slot(int rank) const {
  return reinterpret_cast<Slot*>(control_ + layout_.slots())[rank];
}

std::atomic<uint64_t>& Channel::position(int reader, int writer) const {
  auto* table = reinterpret_cast<std::atomic<uint64_t>*>(control_ + layout_.positions());
  return table[static_cast<size_t>(reader) * static_cast<size_t>(size_) + static_cast<size_t>(writer)];
}

bool Channel::enter(const Member& me) {
  Lobby& lobby = *reinterpret_cast<Lobby*>(control_);
  uint32_t expected_size = 0;
  uint32_t size = static_cast<uint32_t>(size_);
  if (!lobby.size.compare_exchange_strong(expected_size, size) && expected_size != size) return false;
  Slot& mine = slot(rank_);
  Presence expected = Presence::absent;
  if (!mine.presence.compare_exchange_strong(expected, Presence::entering)) return false;
  mine.process_start = process_start(getpid());
  mine.pid = getpid();
  mine.world_rank = me.world_rank;
  mine.device = me.device;
  mine.node = me.node;
  mine.presence = Presence::here;
  // Everybody has the file open by now: unlinked, it vanishes with the last process that uses it.
  if (lobby.count.fetch_add(1) + 1 == size) unlink(path_.c_str());
  wake_all(lobby.count);
  return true;
}

bool Channel::await_members(uint64_t deadline_ns) {
  Lobby& lobby = *reinterpret_cast<Lobby*>(control_);
  std::unique_ptr<Waiting> waiting;
  uint64_t began = monotonic_ns();
  while (!left_) {
    if (!waiting && monotonic_ns() - began > kSoon) {
      waiting = std::make_unique<Waiting>("the making of a communicator of " + std::to_string(size_) +
                                          " processes");
    }
    uint32_t seen = lobby.count.load();
    if (seen == static_cast<uint32_t>(size_)) return true;
    if (monotonic_ns() >= deadline_ns) break;
    bool anybody_gone = false;
    for (int i = 0; i < size_; ++i) {
      anybody_gone |= slot(i).presence.load() > Presence::entering && gone(i, true);
    }
    if (anybody_gone && lobby.count.load() == seen) break;
    nap(lobby.count, seen, deadline_ns, nullptr);
  }
  unlink(path_.c_str());
  for (int i = 0; i < size_; ++i) {
    if (slot(i).presence.load() < Presence::here) give_up(i);
  }
  return false;
}

Member Channel::member(int rank) const {
  const Slot& found = slot(rank);
  if (found.presence.load() < Presence::here) return Member{};
  return Member{found.world_rank, found.device, found.node};
}

Collected Channel::collect(int source, Lane lane, uint64_t sequence, uint64_t deadline_ns, Letter* letter) {
  Slot& theirs = slot(source);
  for (bool rested = false;; rested = true) {
    uint32_t seen = theirs.posts.load();
    // Asked before looking into the log: what a member posted before it went is still there.
    bool source_gone = left_ || gone(source, rested);
    if (take(source, lane, sequence, letter)) return Collected::arrived;
    if (source_gone) return Collected::gone;
    if (monotonic_ns() >= deadline_ns) return Collected::late;
    nap(theirs.posts, seen, deadline_ns, &theirs.sleepers);
  }
}

bool Channel::gone(int source, bool look_closely) const {
  const Slot& theirs = slot(source);
  const Source& mine = sources_[static_cast<size_t>(source)];
  if (mine.given_up && mine.posts_then == theirs.posts.load()) return true;
  if (theirs.presence.load() == Presence::left) return true;
  // A look into /proc costs more than most waits last.
  return look_closely && theirs.presence.load() == Presence::here &&
         !process_alive(theirs.pid, theirs.process_start);
}

void Channel::give_up(int source) {
  Source& state = sources_[static_cast<size_t>(source)];
  state.posts_then = slot(source).posts.load();
  state.given_up = true;
}

void Channel::leave() {
  // A forked child owns a copy of this object but not the membership.
  if (owner_pid_ != getpid() || left_.exchange(true)) return;
  Slot& mine = slot(rank_);
  mine.presence = Presence::left;
  mine.posts.fetch_add(1);
  for (int i = 0; i < size_; ++i) wake_all(slot(i).posts);
  wake_all(reinterpret_cast<Lobby*>(control_)->count);
}

}  // namespace maya
