// Values that pass between ranks: communicators, small collectives really performed, the job's board.
//
// Whether a collective is performed is decided by its sizes alone, so that all ranks agree. Each member posts
// its input without waiting, then collects what it needs from the others; where an input was unknown on any
// member, or a member is gone, the output is unknown.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "maya/record.h"

namespace maya {

class Channel;
class Audit;
struct Stream;

// A reduction by sum whose inputs are multiplied first (ncclRedOpCreatePreMulSum).
struct ScaledSum {
  bool alive = false;
  int type = 0;
  const void* device_scalar = nullptr;  // read when the collective runs; else `scalar`
  char scalar[8] = {};
};

struct Communicator {
  uint64_t number = 0;  // in this process, from 1
  uint64_t id = 0;      // the same on all members
  int rank = 0;
  int nranks = 1;
  int device = 0;
  int node_ranks = 1;            // members on this member's node
  std::vector<int> world_ranks;  // RANK of each member; -1 where it has none
  // Where some members are no process: for each its place in the channel or -1, and the member that speaks
  // for it. Both empty where all are processes.
  std::vector<int> places, voices;
  bool is_virtual(int member) const { return !places.empty() && places[static_cast<size_t>(member)] < 0; }
  int place(int member) const { return places.empty() ? member : places[static_cast<size_t>(member)]; }
  int voice(int member) const { return voices.empty() ? member : voices[static_cast<size_t>(member)]; }
  std::string name;
  bool checked = false;  // torch compares over gloo what all members are about to do, before each collective
  std::atomic<bool> joined{false};
  std::atomic<bool> finalized{false};
  std::atomic<bool> revoked{false};
  std::atomic<bool> suspended{false};
  std::atomic<uint64_t> operations{0};  // collectives asked for, large ones too
  std::atomic<uint64_t> children{0};    // splits and shrinks so far
  std::vector<ScaledSum> scaled_sums;
  // What the exchange needs; not for others.
  std::shared_ptr<Channel> channel;
  std::atomic<uint64_t> collectives{0};
  std::atomic<uint64_t> controls{0};
  std::vector<uint64_t> sent, received;
  // And in virtual time, where large ones count too.
  uint64_t met = 0;
  std::vector<uint64_t> met_sending, met_receiving;
  std::shared_ptr<Audit> audit;
};
using CommunicatorRef = std::shared_ptr<Communicator>;

// The number by which all members of a communicator know it.
MAYA_EXPORT uint64_t communicator_id(const void* unique_id, size_t bytes);
// The ranks of the job that make up the communicator joined under `id`; needed where some are no process.
MAYA_EXPORT void declare_members(uint64_t id, std::vector<int> world_ranks);

// A message between this rank and a member that is no process: the two do different things, so the run
// directory's list of partners tells the launcher to start the other as well.
MAYA_EXPORT void note_partner(const Communicator& comm, int member);

// The object's address is the program's handle.
MAYA_EXPORT CommunicatorRef create_communicator(int device);
MAYA_EXPORT CommunicatorRef find_communicator(const void* handle);
// Ends waits of other threads on it; the handle is invalid from now on.
MAYA_EXPORT bool close_communicator(const void* handle);
// Ends waits, keeps the handle.
MAYA_EXPORT void leave_communicator(Communicator& comm);

enum class JoinResult { ok, refused, duplicate_device };
// Announces this process as member `rank`; does not wait.
MAYA_EXPORT JoinResult start_joining(Communicator& comm, uint64_t id, int rank, int nranks);
// Waits for the others; those who do not come are treated as gone.
MAYA_EXPORT JoinResult finish_joining(Communicator& comm);

// Small things that every member tells every other about the communicator itself (split, grow).
MAYA_EXPORT uint64_t post_control(Communicator& comm, const void* data, size_t bytes);
// One entry per member, empty where the member is gone.
MAYA_EXPORT std::vector<std::vector<char>> collect_control(Communicator& comm, uint64_t sequence,
                                                           const void* mine, size_t bytes);

enum class Collective : uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  recv,
};

// One collective or point-to-point call. `count` is as in NCCL's signature; types and operations are NCCL's
// numbers; `root` is the peer for send and recv.
struct Operation {
  CommunicatorRef comm;
  Collective what = Collective::all_reduce;
  const void* input = nullptr;
  void* output = nullptr;
  size_t count = 0;
  int type = 0;
  int op = 0;
  int root = 0;
  std::string site;  // the line of the program that asked for it
};

MAYA_EXPORT size_t element_bytes(int type);
// Posts all inputs, then collects all outputs. Outputs whose peers are not there yet are stored later.
MAYA_EXPORT void exchange(const std::vector<Operation>& operations);
// The calls, recorded under these definitions, take their time with the other ranks (the virtual clock).
struct Attendance {
  Operation operation;
  Stream* stream;
  uint32_t definition;
};
MAYA_EXPORT void attend(const std::vector<Attendance>& calls);
// The outputs become unknown; nothing is exchanged (large ones, and those in a graph being captured).
MAYA_EXPORT void skip_exchange(const Operation& operation);

// A receive whose sender is late goes on without its output, which comes in later. Until then it is unknown.
// Whoever reads such memory waits for it (settle), and what is written there later is not overwritten by it
// (supersede). Both cost one load when nothing is under way.
MAYA_EXPORT extern std::atomic<int> exchanges_under_way;
enum class Reader {
  host,    // would wait on the device too
  device,  // a kernel, which would not hold up the host: it is given up after a while
};
MAYA_EXPORT void settle_exchanges(const void* address, size_t bytes, Reader reader);
// Small memory holds from now on what other memory holds, as far as that is known; nothing is recorded.
void repeat_values(void* to, const void* from, size_t bytes);
inline void settle(const void* address, size_t bytes, Reader reader) {
  if (exchanges_under_way.load(std::memory_order_relaxed)) settle_exchanges(address, bytes, reader);
}

MAYA_EXPORT void supersede_exchanges(const void* address, size_t bytes);
inline void supersede(const void* address, size_t bytes) {
  if (exchanges_under_way.load(std::memory_order_relaxed)) supersede_exchanges(address, bytes);
}

// Calls that NCCL may group: each does its part in three rounds, so that one thread can act for several
// ranks.
struct GroupTask {
  virtual ~GroupTask() = default;
  virtual int post() { return 0; }    // announce; never waits
  virtual int meet() { return 0; }    // may wait for what the others posted
  virtual int finish() { return 0; }  // may wait for what the others did in meet
};
// A collective that waits for its group to end.
struct QueuedCollective {
  Operation operation;
  Schema* schema = nullptr;
  std::vector<int64_t> values;
  Stream* stream = nullptr;
};
struct Group {
  int depth = 0;
  int error = 0;
  std::vector<std::unique_ptr<GroupTask>> tasks;
  std::vector<QueuedCollective> collectives;
};
MAYA_EXPORT Group& this_threads_group();

// The job's board (a file of the run directory): which ranks have measured enough steps. Trivial where there
// is one process.
MAYA_EXPORT void board_join();  // this rank is alive and not ready; done by the first communicator too
MAYA_EXPORT void board_publish_ready();
MAYA_EXPORT bool board_all_ready();
MAYA_EXPORT void board_leave();

}  // namespace maya

// Called from inside the program: this rank is about to end with an error.
extern "C" MAYA_EXPORT void maya_rank_failed();
