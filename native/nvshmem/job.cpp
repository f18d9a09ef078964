#include "job.h"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "maya/device.h"
#include "maya/memory.h"

namespace maya::nvshmem {
namespace {

constexpr size_t kUniqueIdBytes = 128;
constexpr size_t kGranularity = size_t{2} << 20;

struct Block {
  size_t bytes;
  size_t span;
  char* peers;
};

struct Job {
  std::mutex lock;
  int rank = 0;
  int ranks = 0;
  uint64_t id = 0;
  std::vector<CommunicatorRef> teams;
  std::map<uintptr_t, Block> blocks;
};

Job& job() {
  static Job* instance = new Job;
  return *instance;
}

uint64_t blend(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 31;
}

CommunicatorRef join(uint64_t id, int rank, int ranks) {
  CommunicatorRef comm = create_communicator(current_device());
  if (start_joining(*comm, id, rank, ranks) == JoinResult::ok && finish_joining(*comm) == JoinResult::ok)
    return comm;
  close_communicator(comm.get());
  return nullptr;
}

void record_team(const Communicator& comm) {
  static const char* const fields[] = {"comm", "rank", "nranks", "device"};
  static Schema schema{"nvshmem_team", Kind::comm, fields, 4};
  note(schema, {static_cast<int64_t>(comm.number), comm.rank, comm.nranks, comm.device}, 0, comm.id);
}

}  // namespace

void set_place(int rank, int ranks, const void* unique_id) {
  Job& all = job();
  all.rank = rank;
  all.ranks = ranks;
  all.id = 0x5ee;
  for (size_t i = 0; i < kUniqueIdBytes / 8; ++i) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(unique_id) + 8 * i, sizeof word);
    all.id = blend(all.id, word);
  }
}

bool join_job() {
  Job& all = job();
  if (!all.teams.empty()) return true;
  if (all.ranks < 1) return false;
  ensure_context(current_device());
  CommunicatorRef world = join(all.id, all.rank, all.ranks);
  if (!world) return false;
  record_team(*world);
  all.teams = {world, world};  // all elements share memory: TEAM_SHARED is TEAM_WORLD
  return true;
}

void leave_job() {
  for (const auto& comm : job().teams) {
    if (comm) close_communicator(comm.get());
  }
  job().teams.clear();
}

int job_status() {
  return job().teams.empty() ? kNotInitialized : kInitialized;
}

CommunicatorRef team(int number) {
  const auto& teams = job().teams;
  bool exists = number >= 0 && static_cast<size_t>(number) < teams.size();
  return exists ? teams[static_cast<size_t>(number)] : nullptr;
}

int split_team(int parent, int start, int stride, int size) {
  CommunicatorRef from = team(parent);
  if (!from || size < 1 || stride == 0) return kInvalidTeam;
  uint64_t child = from->children.fetch_add(1);
  int place = (from->rank - start) / stride;
  bool member = (from->rank - start) % stride == 0 && place >= 0 && place < size;
  if (!member) return kInvalidTeam;
  uint64_t id =
      blend(blend(from->id, child), static_cast<uint64_t>(start) << 32 | static_cast<uint32_t>(stride));
  CommunicatorRef made = join(id, place, size);
  if (!made) return kInvalidTeam;
  record_team(*made);
  std::lock_guard<std::mutex> guard(job().lock);
  job().teams.push_back(made);
  return static_cast<int>(job().teams.size()) - 1;
}

void* allocate_symmetric(size_t bytes) {
  Job& all = job();
  if (all.teams.empty() || bytes == 0) return nullptr;
  void* address = allocate(current_device(), bytes);
  if (!address) return nullptr;
  size_t span = (bytes + kGranularity - 1) / kGranularity * kGranularity;
  void* peers = reserve_addresses(span * static_cast<size_t>(all.ranks), kGranularity);
  std::lock_guard<std::mutex> guard(all.lock);
  all.blocks[reinterpret_cast<uintptr_t>(address)] = Block{bytes, span, static_cast<char*>(peers)};
  return address;
}

void free_symmetric(void* address) {
  Job& all = job();
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.blocks.find(reinterpret_cast<uintptr_t>(address));
  if (found == all.blocks.end()) return;
  if (found->second.peers)
    release_addresses(found->second.peers, found->second.span * static_cast<size_t>(all.ranks));
  all.blocks.erase(found);
  deallocate(address);
}

void* address_on(const void* address, int pe) {
  Job& all = job();
  std::lock_guard<std::mutex> guard(all.lock);
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  auto found = all.blocks.upper_bound(at);
  if (found == all.blocks.begin() || pe < 0 || pe >= all.ranks) return nullptr;
  --found;
  size_t offset = at - found->first;
  if (offset >= found->second.bytes) return nullptr;
  if (pe == all.rank) return const_cast<void*>(address);
  return found->second.peers ? found->second.peers + static_cast<size_t>(pe) * found->second.span + offset
                             : nullptr;
}

}  // namespace maya::nvshmem
