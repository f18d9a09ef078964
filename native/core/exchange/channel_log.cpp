// The logs behind a channel: writing, reading, reclaiming.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "channel.h"
#include "futex.h"
#include "maya/record.h"

namespace maya {
namespace {

// Unread bytes after which a log's read part is given back, and after which a member that has not
// collected for long reads ahead so that the writer can do so.
constexpr uint64_t kReclaimBytes = 4u << 20;
constexpr uint64_t kLagBytes = 16u << 20;

template <typename Transfer>
bool in_two_parts(uint64_t at, uint64_t space, uint64_t bytes, Transfer transfer) {
  uint64_t offset = at % space;
  uint64_t first = std::min(bytes, space - offset);
  return transfer(offset, 0, first) && (first == bytes || transfer(0, first, bytes - first));
}

}  // namespace

bool Channel::write_log(uint64_t at, const void* data, uint64_t bytes) {
  const char* from = static_cast<const char*>(data);
  uint64_t base = layout_.log(rank_);
  return in_two_parts(at, layout_.log_bytes(), bytes, [&](uint64_t to, uint64_t skip, uint64_t n) {
    return pwrite(file_, from + skip, n, static_cast<off_t>(base + to)) == static_cast<ssize_t>(n);
  });
}

bool Channel::read_log(int writer, uint64_t at, void* data, uint64_t bytes) const {
  char* to = static_cast<char*>(data);
  uint64_t base = layout_.log(writer);
  return in_two_parts(at, layout_.log_bytes(), bytes, [&](uint64_t from, uint64_t skip, uint64_t n) {
    return pread(file_, to + skip, n, static_cast<off_t>(base + from)) == static_cast<ssize_t>(n);
  });
}

void Channel::post(const Letter& letter) {
  if (left_) return;
  Slot& mine = slot(rank_);
  LetterHeader header{
      static_cast<uint32_t>(letter.lane), letter.target, letter.sequence, letter.signature, letter.known, 0};
  header.bytes = static_cast<uint32_t>(letter.bytes.size());
  {
    std::lock_guard<std::mutex> guard(post_lock_);
    uint64_t head = mine.head.load();
    if (!write_log(head, &header, sizeof header) ||
        !write_log(head + sizeof header, letter.bytes.data(), header.bytes)) {
      inform("values could not be exchanged between ranks: the run directory's disk is full");
      leave();
      return;
    }
    mine.head = head + sizeof header + header.bytes;
    mine.posts.fetch_add(1);
    reclaim();
  }
  if (mine.sleepers.load()) wake_all(mine.posts);
  drain_laggards();
}

void Channel::reclaim() {
  uint64_t head = slot(rank_).head.load();
  if (head - reclaimed_ < kReclaimBytes) return;
  uint64_t read_by_all = head;
  for (int i = 0; i < size_; ++i) {
    if (i != rank_ && gone(i, true)) continue;
    read_by_all = std::min(read_by_all, position(i, rank_).load());
  }
  if (read_by_all - reclaimed_ < kReclaimBytes) return;
  uint64_t base = layout_.log(rank_);
  in_two_parts(reclaimed_, layout_.log_bytes(), read_by_all - reclaimed_,
               [&](uint64_t at, uint64_t, uint64_t n) {
                 fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(base + at),
                           static_cast<off_t>(n));
                 return true;
               });
  reclaimed_ = read_by_all;
}

bool Channel::take(int source, Lane lane, uint64_t sequence, Letter* letter) {
  std::lock_guard<std::mutex> guard(read_lock_);
  drain(source);
  auto& stash = sources_[static_cast<size_t>(source)].stash;
  auto found = stash.find({lane, sequence});
  if (found == stash.end()) return false;
  *letter = std::move(found->second);
  stash.erase(found);
  return true;
}

void Channel::drain(int source) {
  Source& state = sources_[static_cast<size_t>(source)];
  uint64_t head = slot(source).head.load();
  while (state.position < head) {
    LetterHeader header;
    if (!read_log(source, state.position, &header, sizeof header)) return;
    if (header.target < 0 || header.target == rank_) {
      Letter letter{
          static_cast<Lane>(header.lane), header.target, header.sequence, header.signature, header.known, {}};
      letter.bytes.resize(header.bytes);
      if (!read_log(source, state.position + sizeof header, letter.bytes.data(), header.bytes)) return;
      state.stash[{letter.lane, letter.sequence}] = std::move(letter);
    }
    state.position += sizeof header + header.bytes;
  }
  position(rank_, source) = state.position;
}

void Channel::drain_laggards() {
  for (int i = 0; i < size_; ++i) {
    if (slot(i).head.load() - position(rank_, i).load() < kLagBytes) continue;
    std::lock_guard<std::mutex> guard(read_lock_);
    drain(i);
  }
}

}  // namespace maya
