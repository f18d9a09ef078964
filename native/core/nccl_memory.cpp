// What NCCL's connections take of device memory, by the defaults of its public sources (2.2x).
//
// A connection of two ranks on one channel has a buffer for each protocol: Simple 4 MiB (NCCL_BUFFSIZE), LL
// 512 KiB, LL128 4.69 MiB, in two allocations of whole 2 MiB pages, one at each end: 12 MiB a rank that sends
// to one neighbour and receives from another. The first collective connects a ring on every channel; the
// first message to or from a peer of the same node connects that peer on several. Messages over the network
// share one set of buffers. What is left out: trees, NVLink SHARP and CollNet, which NCCL connects besides
// where it finds them faster, and a few MiB of bookkeeping. So this is a lower estimate.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "maya/device.h"
#include "maya/library_memory.h"

namespace maya {
namespace {

constexpr size_t kPage = size_t{2} << 20;
constexpr size_t kSimple = size_t{4} << 20;
constexpr size_t kLl = size_t{8} * 512 * 8 * 16;         // lines a thread, threads, steps, bytes a line
constexpr size_t kLl128 = size_t{120} * 640 * 8 * 8;     // elements a thread, threads, steps, bytes
constexpr size_t kSharedNet = size_t{16} * (128 << 10);  // steps, bytes a chunk; for each channel
constexpr int kMostRings = 24;                           // as NCCL finds on nodes with NVLink switches
constexpr int kRingsWithoutNvlink = 4;
constexpr int kMostPeerChannels = 32;

struct Connections {
  bool ring = false;
  bool network = false;
  std::set<int> sends, receives;  // peers
  std::vector<uint64_t> charges;
  size_t bytes = 0;
};

struct Table {
  std::mutex lock;
  std::map<const void*, Connections> all;
};

Table& table() {
  static Table* instance = new Table;
  return *instance;
}

size_t setting(const char* variable, size_t fallback) {
  const char* text = std::getenv(variable);
  long long value = text ? std::atoll(text) : 0;
  return value > 0 ? static_cast<size_t>(value) : fallback;
}

size_t pages(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

int limited(int channels) {
  size_t most = setting("NCCL_MAX_CTAS", setting("NCCL_MAX_NCHANNELS", kMostPeerChannels));
  return static_cast<int>(std::min<size_t>(static_cast<size_t>(channels), most));
}

int ring_channels() {
  int links = device_model().nvlinks;
  return limited(links ? std::min(kMostRings, 2 * links) : kRingsWithoutNvlink);
}

// Two a link, made a power of two.
int peer_channels() {
  int wanted = std::max(2, 2 * device_model().nvlinks);
  int channels = 1;
  while (channels < wanted && channels < kMostPeerChannels) channels *= 2;
  return limited(channels);
}

// GPUs with NVLink from compute capability 8.0 on read from the sender's buffer, others write to the
// receiver's.
bool reads() {
  return device_model().major >= 8 && device_model().nvlinks > 0;
}
size_t sending_end() {
  return pages((reads() ? setting("NCCL_BUFFSIZE", kSimple) : 0) + 1);
}
size_t receiving_end() {
  return pages((reads() ? 0 : setting("NCCL_BUFFSIZE", kSimple)) + kLl + kLl128 + 1);
}

size_t ring_bytes(Connections& made) {
  if (std::exchange(made.ring, true)) return 0;
  return static_cast<size_t>(ring_channels()) * (sending_end() + receiving_end());
}

size_t message_bytes(const Communicator& comm, bool sends, int peer, Connections& made) {
  if (peer == comm.rank) return 0;
  if (comm.node_ranks < comm.nranks) {
    return std::exchange(made.network, true) ? 0 : 2 * kMostPeerChannels * kSharedNet;
  }
  if (!(sends ? made.sends : made.receives).insert(peer).second) return 0;
  return static_cast<size_t>(peer_channels()) * (sends ? sending_end() : receiving_end());
}

// Bytes of the connections that this call makes; 0 where all are there. Some collectives are made of
// messages.
size_t newly_needed(const Communicator& comm, Collective what, int peer, Connections& made) {
  bool all = what == Collective::all_to_all;
  bool root = comm.rank == peer;
  bool gathers = what == Collective::gather, scatters = what == Collective::scatter;
  if (what == Collective::send || (gathers && !root)) return message_bytes(comm, true, peer, made);
  if (what == Collective::recv || (scatters && !root)) return message_bytes(comm, false, peer, made);
  if (!all && !gathers && !scatters) return ring_bytes(made);
  size_t bytes = 0;
  for (int other = 0; other < comm.nranks; ++other) {
    if (all || scatters) bytes += message_bytes(comm, true, other, made);
    if (all || gathers) bytes += message_bytes(comm, false, other, made);
  }
  return bytes;
}

}  // namespace

bool charge_connections(const Communicator& comm, Collective what, int peer) {
  if (comm.nranks < 2) return true;
  Table& known = table();
  std::lock_guard<std::mutex> guard(known.lock);
  Connections& made = known.all[&comm];
  size_t bytes = newly_needed(comm, what, peer, made);
  if (!bytes) return true;
  uint64_t charge = charge_library(comm.device, bytes, "nccl");
  if (!charge) return false;
  made.charges.push_back(charge);
  made.bytes += bytes;
  return true;
}

void release_connections(const void* comm) {
  Connections gone;
  {
    Table& known = table();
    std::lock_guard<std::mutex> guard(known.lock);
    auto found = known.all.find(comm);
    if (found == known.all.end()) return;
    gone = std::move(found->second);
    known.all.erase(found);
  }
  for (uint64_t charge : gone.charges) release_library(charge);
}

size_t connection_bytes(const void* comm) {
  Table& known = table();
  std::lock_guard<std::mutex> guard(known.lock);
  auto found = known.all.find(comm);
  return found == known.all.end() ? 0 : found->second.bytes;
}

}  // namespace maya
