#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "../awaits_rank.h"
#include "../clock.h"
#include "../helper.h"
#include "audit.h"
#include "channel.h"
#include "maya/device.h"
#include "maya/exchange.h"
#include "maya/runtime.h"
#include "representatives.h"
#include "stall.h"

namespace maya {
namespace {

constexpr uint64_t kSoon = uint64_t{500} * 1000 * 1000;  // shorter waits are not worth telling

struct Registry {
  std::mutex lock;
  std::unordered_map<const void*, CommunicatorRef> alive;
  uint64_t created = 0;
};

// Never destroyed: threads of the program may outlive the exit handlers.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

void leave_all() {
  Registry& all = registry();
  std::lock_guard<std::mutex> guard(all.lock);
  for (auto& entry : all.alive) leave_communicator(*entry.second);
}

int number_of(const char* variable, int fallback) {
  const char* text = std::getenv(variable);
  return text && *text ? std::atoi(text) : fallback;
}

// Which of the job's nodes this process belongs to, by the launcher's own variables.
int node_number() {
  int local_world = number_of("LOCAL_WORLD_SIZE", 0);
  int fallback = local_world > 0 && config().rank >= 0 ? config().rank / local_world : 0;
  return number_of("GROUP_RANK", number_of("SLURM_NODEID", fallback));
}

// NCCL refuses to run two ranks on one GPU.
bool shares_a_device(const Communicator& comm) {
  int mine = comm.place(comm.rank);
  Member me = comm.channel->member(mine);
  for (int i = 0; i < comm.channel->size(); ++i) {
    Member other = comm.channel->member(i);
    if (i != mine && other.device == me.device && other.node == me.node) return true;
  }
  return false;
}

// A virtual member, by the order in which launchers number ranks: node after node.
Member virtual_member(int world_rank) {
  int local_world = std::max(1, number_of("LOCAL_WORLD_SIZE", 1));
  return Member{world_rank, world_rank % local_world, world_rank / local_world};
}

Member member_of(const Communicator& comm, int rank) {
  if (!comm.is_virtual(rank)) return comm.channel->member(comm.place(rank));
  return virtual_member(comm.world_ranks[static_cast<size_t>(rank)]);
}

// Which members are processes, and who speaks for the others: their representative if it is a member, else
// this one.
int seat_members(Communicator& comm, const std::vector<int>& world_ranks) {
  std::unordered_map<int, int> rank_of;
  int processes = 0;
  for (int i = 0; i < comm.nranks; ++i) {
    int world_rank = world_ranks[static_cast<size_t>(i)];
    rank_of[world_rank] = i;
    comm.places.push_back(is_launched(world_rank) ? processes++ : -1);
  }
  for (int world_rank : world_ranks) {
    auto found = rank_of.find(representative_of(world_rank));
    comm.voices.push_back(found == rank_of.end() ? comm.rank : found->second);
  }
  comm.world_ranks = world_ranks;
  return processes;
}

void join_board() {
  static std::once_flag joined;
  std::call_once(joined, [] {
    join_job();
    board_join();
  });
}

// Null where all members are processes.
std::vector<int> members_with_virtual(uint64_t id, int nranks) {
  if (!has_virtual_ranks()) return {};
  std::vector<int> members = declared_members(id);
  if (members.empty() && nranks == config().world_size) {
    for (int i = 0; i < nranks; ++i) members.push_back(i);
  }
  if (static_cast<int>(members.size()) == nranks) return members;
  inform("a communicator's members are not known: all of them are taken for launched ranks");
  return {};
}

bool await_control(Communicator& comm, int place, uint64_t sequence, uint64_t deadline_ns, Letter* letter) {
  AwaitsRank awaits;
  uint64_t soon = std::min(deadline_ns, monotonic_ns() + kSoon);
  Collected collected = comm.channel->collect(place, Lane::control, sequence, soon, letter);
  if (collected == Collected::late) {
    Waiting waiting("the split of a communicator of " + std::to_string(comm.nranks) + " ranks");
    collected = comm.channel->collect(place, Lane::control, sequence, deadline_ns, letter);
  }
  return collected == Collected::arrived;
}

}  // namespace

CommunicatorRef create_communicator(int device) {
  Registry& all = registry();
  std::lock_guard<std::mutex> guard(all.lock);
  if (all.created == 0) std::atexit(leave_all);
  auto comm = std::make_shared<Communicator>();
  comm->number = ++all.created;
  comm->device = device;
  all.alive[comm.get()] = comm;
  return comm;
}

CommunicatorRef find_communicator(const void* handle) {
  Registry& all = registry();
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.alive.find(handle);
  return found == all.alive.end() ? nullptr : found->second;
}

bool close_communicator(const void* handle) {
  CommunicatorRef comm = find_communicator(handle);
  if (!comm) return false;
  leave_communicator(*comm);
  std::lock_guard<std::mutex> guard(registry().lock);
  registry().alive.erase(handle);
  return true;
}

void leave_communicator(Communicator& comm) {
  if (comm.channel) comm.channel->leave();
}

JoinResult start_joining(Communicator& comm, uint64_t id, int rank, int nranks) {
  comm.id = id;
  comm.rank = rank;
  comm.nranks = nranks;
  if (nranks > 1) join_board();
  comm.sent.assign(static_cast<size_t>(nranks), 0);
  comm.received = comm.met_sending = comm.met_receiving = comm.sent;
  comm.audit = std::make_shared<Audit>();
  Member me{config().rank, physical_device(comm.device), node_number()};
  int place = rank;
  int processes = nranks;
  std::vector<int> members = members_with_virtual(id, nranks);
  if (!members.empty()) {
    processes = seat_members(comm, members);
    place = comm.place(rank);
    if (place < 0) return JoinResult::refused;
  }
  comm.channel = Channel::open(id, place, processes, me);
  return comm.channel ? JoinResult::ok : JoinResult::refused;
}

JoinResult finish_joining(Communicator& comm) {
  // Where members are only guessed to be processes, some may never come.
  AwaitsRank awaits;
  bool guessed = comm.places.empty() && has_virtual_ranks();
  if (!comm.channel->await_members(guessed ? exchange_deadline() : answer_deadline())) {
    inform("a communicator was made without all its ranks: values that would come from them are unknown");
  }
  int node = member_of(comm, comm.rank).node;
  comm.node_ranks = 0;
  comm.world_ranks.resize(static_cast<size_t>(comm.nranks), -1);
  for (int i = 0; i < comm.nranks; ++i) {
    Member member = member_of(comm, i);
    comm.world_ranks[static_cast<size_t>(i)] = member.world_rank;
    comm.node_ranks += member.node == node && member.device >= 0;
  }
  if (shares_a_device(comm)) return JoinResult::duplicate_device;
  comm.joined = true;
  return JoinResult::ok;
}

uint64_t post_control(Communicator& comm, const void* data, size_t bytes) {
  Letter letter;
  letter.lane = Lane::control;
  letter.sequence = comm.controls.fetch_add(1);
  const char* from = static_cast<const char*>(data);
  letter.bytes.assign(from, from + bytes);
  comm.channel->post(letter);
  return letter.sequence;
}

std::vector<std::vector<char>> collect_control(Communicator& comm, uint64_t sequence, const void* mine,
                                               size_t bytes) {
  std::vector<std::vector<char>> answers(static_cast<size_t>(comm.nranks));
  uint64_t deadline = answer_deadline();
  for (int i = 0; i < comm.nranks; ++i) {
    auto& answer = answers[static_cast<size_t>(i)];
    Letter letter;
    if (i == comm.rank) {
      const char* from = static_cast<const char*>(mine);
      answer.assign(from, from + bytes);
    } else if (comm.is_virtual(i)) {
      continue;
    } else if (await_control(comm, comm.place(i), sequence, deadline, &letter)) {
      answer = std::move(letter.bytes);
    } else {
      comm.channel->give_up(comm.place(i));
    }
  }
  for (int i = 0; i < comm.nranks; ++i) {
    if (comm.is_virtual(i)) answers[static_cast<size_t>(i)] = answers[static_cast<size_t>(comm.voice(i))];
  }
  return answers;
}

}  // namespace maya
