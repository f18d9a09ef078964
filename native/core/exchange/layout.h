// What the members of a communicator share: one file with a lobby, a slot per member, how far each member
// has read each other's letters, and per member an append-only log of letters.
//
// The logs are sparse: positions only grow, and what all members have read is punched out. So posting never
// waits for a reader, and a file takes as much space as there are unread letters.
#pragma once

#include <atomic>
#include <cstdint>

namespace maya {

enum class Presence : uint32_t { absent = 0, entering, here, left };

struct alignas(64) Lobby {
  std::atomic<uint32_t> size{0};   // members, set by the first
  std::atomic<uint32_t> count{0};  // members that have come; slept on
};

struct alignas(64) Slot {
  std::atomic<Presence> presence{Presence::absent};
  std::atomic<int32_t> pid{0};  // written after process_start: a pid without it would look dead
  uint64_t process_start = 0;
  int32_t world_rank = -1;
  int32_t device = -1;  // on the node
  int32_t node = 0;
  std::atomic<uint32_t> posts{0};  // slept on by those who wait for this member
  std::atomic<uint32_t> sleepers{0};
  std::atomic<uint64_t> head{0};  // bytes ever written to this member's log
};

// Stands in the log before each letter's bytes.
struct LetterHeader {
  uint32_t lane;
  int32_t target;  // -1: everybody
  uint64_t sequence;
  uint64_t signature;
  uint32_t known;
  uint32_t bytes;
};

static_assert(sizeof(Lobby) == 64 && sizeof(Slot) == 64, "members of one job may come from two builds");

// File systems end a file at 16 TiB (ext4); half of it is shared out among the members' logs.
constexpr uint64_t kLogSpace = uint64_t{8} << 40;

struct Layout {
  explicit Layout(int members) : n(static_cast<uint64_t>(members)) {}
  uint64_t n;
  uint64_t slots() const { return sizeof(Lobby); }
  uint64_t positions() const { return slots() + n * sizeof(Slot); }
  uint64_t control_bytes() const { return (positions() + n * n * 8 + 4095) & ~uint64_t{4095}; }
  uint64_t log_bytes() const { return (kLogSpace / n) & ~uint64_t{4095}; }
  uint64_t log(int member) const { return control_bytes() + static_cast<uint64_t>(member) * log_bytes(); }
};

}  // namespace maya
