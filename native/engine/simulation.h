// State of a simulation. Times are integer nanoseconds of virtual time.
//
// Without sharing, every time follows from earlier ones by maximum and sum, so calls are carried out as soon
// as what they wait for is known, in any order, and no clock is needed. With sharing, speeds depend on what
// else runs, so work starts and ends through a queue ordered by time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "abi.h"
#include "event_queue.h"
#include "pages.h"

namespace maya::engine {

enum class Op : uint8_t { host, work, record, wait, collective, sync_stream, sync_device, sync_event };
constexpr uint8_t kBlocking = 1;  // call flag: the host waits for the work
constexpr uint8_t kUnqueued = 2;  // call flag: takes no place in the launch queue (nodes of a graph)
constexpr uint8_t kLegacy = 1;    // stream flag: the legacy default stream of its device
constexpr uint8_t kBlocks = 2;    // stream flag: waits for the legacy stream and is waited for by it
constexpr uint8_t kHigh = 4;      // stream flag: its kernels come before those of other streams

constexpr int64_t kUnknown = -1;
constexpr int64_t kForever = std::numeric_limits<int64_t>::max();
constexpr int kRateBits = 16;
constexpr int64_t kFullRate = int64_t{1} << kRateBits;
constexpr int64_t kWholeShare = 1024;
// What kernels of ordinary streams keep beside those of high priority: blocks that run are not taken away.
constexpr int64_t kResident = kWholeShare / 16;

// Items of a busy stream that are kept after they are done, before their room is used again.
constexpr size_t kDoneItems = 256;

struct Item {
  int64_t ready_ns;
  int32_t call;  // -1 for a marker of our own
  int32_t slot;
  Op op;
};

// Progress of something whose speed changes.
struct Progress {
  int64_t remaining = 0;  // nanoseconds at full rate, times kFullRate
  int64_t rate = 0;
  int64_t updated_ns = 0;
  uint32_t version = 0;  // of the end now in the queue
};

// What every piece of work asks for comes first, in as few cache lines as may be.
struct Stream {
  Vector<Item> queue;
  size_t head = 0;
  int64_t free_ns = 0;       // all before is done
  int64_t next_work_ns = 0;  // the device is ready for the next piece of work
  int32_t rank = 0;
  int32_t device = 0;
  uint8_t flags = 0;
  bool high = false;
  bool stuck = false;        // waits for an event, a transfer or its own work
  bool active = false;       // with a clock: works, is about to, or takes part in a transfer
  bool host_waits = false;   // its launch queue is full
  bool quiet = false;        // active, and it is known until when nothing comes of it
  int32_t members_left = 0;  // of the collective at the head
  uint64_t launched = 0;     // work ever launched
  uint64_t started = 0;      // work ever started
  Vector<int64_t> start_ring;
  uint64_t items = 0;  // ever submitted
  Progress progress;
  int64_t quiet_until = 0;  // where it is not in a transfer
  int32_t transfer = -1;    // the running one whose end alone it waits for, if that end is certain
  int64_t members_end_ns = 0;
  int64_t arrived_ns = 0;  // at that collective
  uint64_t seen_by_legacy = 0;
  uint64_t legacy_seen = 0;
};

struct Block {  // a host thread inside a synchronising call
  int32_t call;
  int32_t rank;
  int32_t left;
  int64_t until_ns;
};

struct Host {
  int64_t next = 0;
  int64_t end = 0;
  int64_t last_issue_ns = 0;
  int64_t first_call = 0;
  int32_t stream_base = 0;  // added to the numbers in its calls
  int32_t device_base = 0;
  int32_t slot_base = 0;
  int32_t device = -1;  // the first
  bool queued = false;
  bool running = false;
  bool lone = true;          // drives one device
  Vector<int64_t> clock_ns;  // per thread
  Vector<uint8_t> blocked;   // per thread
  Vector<int32_t> blocks;    // live ones, by index
  // Everything up to a call had returned at this time; a ring, as long as calls look back.
  Vector<int64_t> returned_by;
  int64_t mask = 0;
};

struct Device {
  int32_t active = 0;     // streams
  int32_t ready = 0;      // streams that may go on
  int32_t transfers = 0;  // communication going on
  int32_t legacy = -1;
  int64_t share = 0;        // sum over running
  int64_t high_share = 0;   // those of high priority
  Vector<int32_t> quiet;    // active streams of which nothing comes for a known time
  Vector<int32_t> running;  // streams whose kernel runs
  Vector<int32_t> streams;
  Vector<int32_t> blocking;  // those that the legacy stream waits for
};

struct Transfer {
  int32_t arrived = 0;
  bool running = false;
  bool seen = false;    // while transfers that share links are looked for
  bool closed = false;  // see closed_transfers.cpp
  uint64_t begun = 0;   // transfers that began before
  int64_t start_ns = 0;
  int64_t end_ns = -1;  // of one that is over
  int64_t due_ns = 0;   // its end, as rates are now
  Vector<int32_t> streams;
  Progress progress;
};

struct Waiter {
  int32_t who;  // stream, or block
  int32_t next;
  bool host;
};

class Simulation {
 public:
  Simulation(const MayaProgram& program, const MayaSettings& settings, MayaResult& result);
  int run();

 private:
  // host.cpp
  void run_host(int32_t rank);
  [[gnu::always_inline]] inline bool may_issue(Host& host, int64_t call, int64_t* at) const;
  [[gnu::always_inline]] inline bool queue_has_room(Stream& stream, int64_t* at);
  bool issue(Host& host, int64_t call);
  void block(Host& host, int64_t call, int64_t at, const Vector<int32_t>& streams, int32_t slot);
  void unblock(int32_t block, int64_t at);
  void returned(Host& host, int64_t call, int64_t at);
  void wake_host(int32_t rank);

  // stream.cpp
  void submit(int32_t stream, const Item& item);
  void join_legacy(int32_t stream, int64_t ready_ns);
  void wait_for_marker(int32_t of, int32_t stream, int64_t ready_ns);
  bool idle(const Stream& stream) const { return stream.head == stream.queue.size(); }
  int32_t new_slot();
  void advance(int32_t stream);
  bool step(int32_t index, Stream& stream);
  [[gnu::always_inline]] inline void note_start(Stream& stream, int64_t at);
  void set_active(Stream& stream, bool active);
  [[gnu::always_inline]] inline bool ends_undisturbed(const Stream& stream, int32_t call, int64_t at,
                                                      int64_t* end) const;
  bool ends_while_quiet(const Stream& stream, int32_t call, int64_t at, int64_t* end) const;
  void set_quiet(int32_t index, int64_t until_ns, int32_t transfer);
  void end_quiet(int32_t index);
  void finish_head(int32_t index, int64_t end);
  void resolve(int32_t slot, int64_t at);
  void add_waiter(int32_t slot, int32_t who, bool host);
  void unstick(int32_t stream);

  // device.cpp
  void begin_work(int32_t stream);
  void end_work(int32_t stream);
  void count_running(int32_t stream, int64_t share);
  void rerate_device(int32_t device);
  void settle(Progress& progress) const;
  int64_t lone_rate(const Device& device, int64_t share) const;
  int64_t set_rate(Progress& progress, int64_t rate, EventKind kind, int32_t who);

  // variation.cpp
  int64_t varied(int64_t duration_ns, uint64_t who, uint64_t what) const;
  int64_t work_ns(const Stream& stream, int32_t call) const {
    return varied_ ? varied_work_ns(stream.rank, call) : p_.duration_ns[call];
  }
  int64_t varied_work_ns(int32_t rank, int32_t call) const;
  int64_t transfer_ns(int32_t transfer) const;

  // closed_transfers.cpp
  std::vector<uint64_t> hash_members() const;
  void find_closed_transfers();

  // transfers.cpp
  int32_t transfer_of(int32_t rank, int32_t member) const;
  void arrive(int32_t stream, int64_t at);
  void join_transfer(int32_t number, int32_t member, int32_t stream, int64_t at);
  void receive_late(int32_t number, int32_t stream);
  int64_t received_ns(int32_t number, int32_t stream) const;
  void end_member(int32_t stream, int64_t at);
  bool buffered(int32_t member) const { return p_.member_buffered && p_.member_buffered[member]; }
  void begin_transfer(int32_t transfer);
  void end_transfer(int32_t transfer, int64_t at);
  bool links_shared(int32_t transfer) const;
  void rerate_links(int32_t beside);
  template <typename Visit>
  void each_link(int32_t transfer, Visit visit);
  void weigh_links(const std::vector<int32_t>& rising);
  int64_t level_of(int32_t transfer);
  void rerate_transfer(int32_t transfer, int64_t rate);
  void find_sharing(int32_t beside);
  void count_transfer(int32_t transfer, int change);

  void drain();
  bool wake_late_hosts();
  void handle(const Event& event);
  void mark_unissued();
  int finish();

  const MayaProgram& p_;
  const MayaSettings& s_;
  MayaResult& r_;
  bool timed_;
  bool varied_;
  uint64_t ring_mask_;  // of rings of as many starts as may be asked for, a power of two
  int64_t now_ns_ = 0;
  EventQueue events_;
  Vector<Host> hosts_;
  Vector<Stream> streams_;
  Vector<Device> devices_;
  Vector<Transfer> transfers_;
  Vector<int64_t> slot_ns_;
  Vector<int32_t> slot_waiters_;
  Vector<Waiter> waiters_;
  Vector<int32_t> free_waiters_;
  Vector<Block> blocks_;
  Vector<int32_t> free_blocks_;
  Vector<int32_t> ready_streams_;
  Vector<int32_t> ready_hosts_;
  uint64_t begun_ = 0;                  // transfers
  std::vector<int32_t> sharing_;        // transfers whose links hang together
  Vector<Vector<int32_t>> link_users_;  // transfers going on
  Vector<int64_t> link_free_, link_weight_;
};

}  // namespace maya::engine
