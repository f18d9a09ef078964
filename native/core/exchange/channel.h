// Letters between the members of one communicator: posted without waiting, collected by name.
//
// Everything that passes between ranks goes through post and collect. A member that is not a process of its
// own (answered for by a representative) needs no more than an answer in collect.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layout.h"

namespace maya {

// A relayed letter is a message that virtual stages of a pipeline pass on. The last three say in virtual time
// when a member comes to a collective, to sending and to receiving.
enum class Lane : uint32_t { collective, direct, control, audit, relayed, arrival, sending, receiving };

struct Letter {
  Lane lane = Lane::collective;
  int target = -1;  // everybody
  uint64_t sequence = 0;
  uint64_t signature = 0;  // what the sender believes this exchange to be
  uint32_t known = 0;      // bytes from the start that a host made
  std::vector<char> bytes;
};

struct Member {
  int world_rank = -1;
  int device = -1;
  int node = 0;
};

enum class Collected { arrived, late, gone };

class Channel {
 public:
  // Announces this member; does not wait. Null when the place is taken or the sizes disagree.
  static std::shared_ptr<Channel> open(uint64_t id, int rank, int size, const Member& me);
  ~Channel();

  // Waits for all members. False when some did not come; they count as gone from then on.
  bool await_members(uint64_t deadline_ns);
  Member member(int rank) const;

  void post(const Letter& letter);
  // `late`: not there by the deadline. `gone`: it will never come.
  Collected collect(int source, Lane lane, uint64_t sequence, uint64_t deadline_ns, Letter* letter);
  // Nothing more is expected of this member unless it posts again.
  void give_up(int source);

  // Ends every wait on this side, now and later, and tells the others.
  void leave();
  int size() const { return size_; }

 private:
  struct Source {
    uint64_t position = 0;  // read up to here
    std::map<std::pair<Lane, uint64_t>, Letter> stash;
    std::atomic<bool> given_up{false};
    std::atomic<uint32_t> posts_then{0};
  };

  Channel(int file, char* control, int rank, int size);
  Slot& slot(int rank) const;
  std::atomic<uint64_t>& position(int reader, int writer) const;
  bool enter(const Member& me);
  bool gone(int source, bool look_closely) const;
  bool take(int source, Lane lane, uint64_t sequence, Letter* letter);
  void drain(int source);
  void drain_laggards();
  void reclaim();
  bool write_log(uint64_t at, const void* data, uint64_t bytes);
  bool read_log(int writer, uint64_t at, void* data, uint64_t bytes) const;

  int file_;
  char* control_;
  int rank_;
  int size_;
  Layout layout_;
  std::string path_;
  int owner_pid_;
  std::mutex post_lock_;
  uint64_t reclaimed_ = 0;
  std::mutex read_lock_;
  std::vector<Source> sources_;
  std::atomic<bool> left_{false};
};

// The deadline of a wait that begins now: MAYA_EXCHANGE_TIMEOUT, else 120 s.
uint64_t exchange_deadline();
// For one that is known to come: it may compile for as long as the run may last, and the launcher ends the
// run in time.
uint64_t answer_deadline();

}  // namespace maya
