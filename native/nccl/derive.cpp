// Communicators made from others: split, shrink, grow.
#include <algorithm>
#include <cstring>
#include <vector>

#include "creation.h"

namespace maya::nccl {
namespace {

// The same on all members, different for each child.
uint64_t child_id(const Communicator& parent, uint64_t child, uint64_t detail) {
  uint64_t hash = parent.id;
  for (uint64_t word : {child, detail}) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct Wish {
  int colour;
  int key;
};

// Tells the others colour and key, hears theirs, joins those of the same colour.
class SplitTask : public JoinTask {
 public:
  SplitTask(void** handle, CommunicatorRef child, CommunicatorRef parent, Wish wish)
      : JoinTask(handle, child, Origin{"split", parent->number, wish.colour}), parent_(parent), wish_(wish) {}

  int post() override {
    child_number_ = parent_->children.fetch_add(1);
    sequence_ = post_control(*parent_, &wish_, sizeof wish_);
    return kSuccess;
  }

  int meet() override {
    if (!comm_) return kSuccess;
    auto wishes = collect_control(*parent_, sequence_, &wish_, sizeof wish_);
    std::vector<std::pair<int, int>> members;  // key, rank in the parent
    for (size_t i = 0; i < wishes.size(); ++i) {
      Wish other;
      if (wishes[i].size() != sizeof other) continue;
      std::memcpy(&other, wishes[i].data(), sizeof other);
      if (other.colour == wish_.colour) members.emplace_back(other.key, static_cast<int>(i));
    }
    std::sort(members.begin(), members.end());
    auto me = std::find(members.begin(), members.end(), std::make_pair(wish_.key, parent_->rank));
    uint64_t id = child_id(*parent_, child_number_, static_cast<uint32_t>(wish_.colour));
    declare_members(id, world_ranks_of(members));
    place(id, static_cast<int>(me - members.begin()), static_cast<int>(members.size()));
    return start();
  }

 private:
  std::vector<int> world_ranks_of(const std::vector<std::pair<int, int>>& members) const {
    std::vector<int> ranks;
    for (const auto& member : members)
      ranks.push_back(parent_->world_ranks[static_cast<size_t>(member.second)]);
    return ranks;
  }

  CommunicatorRef parent_;
  Wish wish_;
  uint64_t child_number_ = 0;
  uint64_t sequence_ = 0;
};

struct Invitation {
  uint64_t id;
  int valid;
};

// Old members learn from whichever of them holds the new unique id.
class GrowTask : public JoinTask {
 public:
  GrowTask(void** handle, CommunicatorRef child, CommunicatorRef parent, int nranks, Invitation mine)
      : JoinTask(handle, child, Origin{"grow", parent->number}),
        parent_(parent),
        nranks_(nranks),
        mine_(mine) {}

  int post() override {
    sequence_ = post_control(*parent_, &mine_, sizeof mine_);
    return kSuccess;
  }

  int meet() override {
    for (const auto& answer : collect_control(*parent_, sequence_, &mine_, sizeof mine_)) {
      Invitation theirs{};
      if (answer.size() == sizeof theirs) std::memcpy(&theirs, answer.data(), sizeof theirs);
      if (theirs.valid) mine_ = theirs;
    }
    if (!mine_.valid) return abandon(fail(kInvalidUsage, "CommGrow : no rank was given the unique id"));
    place(mine_.id, parent_->rank, nranks_);
    return start();
  }

 private:
  CommunicatorRef parent_;
  int nranks_;
  Invitation mine_;
  uint64_t sequence_ = 0;
};

CommunicatorRef new_child(void** handle, const Communicator& parent, const void* config, int* result) {
  *handle = nullptr;
  CommunicatorRef child = create_communicator(parent.device);
  *result = apply_config(config, child.get());
  if (*result == kSuccess) {
    *handle = child.get();
    return child;
  }
  close_communicator(child.get());
  return nullptr;
}

}  // namespace
}  // namespace maya::nccl

using namespace maya::nccl;

extern "C" {

int ncclCommSplit(void* comm, int color, int key, void** newcomm, void* config) {
  maya::Call entered;
  int result = kSuccess;
  maya::CommunicatorRef parent = usable(comm, "CommSplit", &result);
  if (!parent) return result;
  if (!newcomm) return fail(kInvalidArgument, "CommSplit : newcomm argument is NULL");
  if (color < kNoColour) return fail(kInvalidArgument, "CommSplit : invalid color %d", color);
  maya::CommunicatorRef child;
  *newcomm = nullptr;
  if (color != kNoColour) {
    child = new_child(newcomm, *parent, config, &result);
    if (!child) return result;
  }
  return do_or_queue(std::make_unique<SplitTask>(newcomm, child, parent, Wish{color, key}));
}
MAYA_PROFILING_NAME(ncclCommSplit);

int ncclCommShrink(void* comm, int* excludeRanksList, int excludeRanksCount, void** newcomm, void* config,
                   int) {
  maya::Call entered;
  maya::CommunicatorRef parent = maya::find_communicator(comm);
  if (!parent || !newcomm || !excludeRanksList || excludeRanksCount < 1) {
    return fail(kInvalidArgument, "CommShrink : invalid argument");
  }
  std::vector<int> excluded(excludeRanksList, excludeRanksList + excludeRanksCount);
  std::sort(excluded.begin(), excluded.end());
  uint64_t detail = 0x5a;
  for (int rank : excluded) detail = detail * 1000003u + static_cast<uint64_t>(rank);
  if (excluded.front() < 0 || excluded.back() >= parent->nranks ||
      std::binary_search(excluded.begin(), excluded.end(), parent->rank)) {
    return fail(kInvalidArgument, "CommShrink : invalid list of excluded ranks");
  }
  int result = kSuccess;
  maya::CommunicatorRef child = new_child(newcomm, *parent, config, &result);
  if (!child) return result;
  auto before_me = std::lower_bound(excluded.begin(), excluded.end(), parent->rank) - excluded.begin();
  uint64_t id = child_id(*parent, parent->children.fetch_add(1), detail);
  return do_or_queue(std::make_unique<JoinTask>(newcomm, child, Origin{"shrink", parent->number}, id,
                                                parent->rank - static_cast<int>(before_me),
                                                parent->nranks - static_cast<int>(excluded.size())));
}
MAYA_PROFILING_NAME(ncclCommShrink);

int ncclCommGetUniqueId(void* comm, void* uniqueId) {
  int result = kSuccess;
  if (!usable(comm, "CommGetUniqueId", &result)) return result;
  return ncclGetUniqueId(uniqueId);
}
MAYA_PROFILING_NAME(ncclCommGetUniqueId);

int ncclCommGrow(void* comm, int nRanks, const void* uniqueId, int rank, void** newcomm, void* config) {
  if (!newcomm) return fail(kInvalidArgument, "CommGrow : newcomm argument is NULL");
  if (!comm) {
    if (!uniqueId) return fail(kInvalidArgument, "CommGrow : uniqueId argument is NULL");
    maya_abi_ncclUniqueId id;
    std::memcpy(&id, uniqueId, sizeof id);
    return ncclCommInitRankConfig(newcomm, nRanks, id, rank, config);
  }
  maya::Call entered;
  int result = kSuccess;
  maya::CommunicatorRef parent = usable(comm, "CommGrow", &result);
  if (!parent) return result;
  if (nRanks <= parent->nranks || rank != -1) return fail(kInvalidArgument, "CommGrow : invalid ranks");
  maya::CommunicatorRef child = new_child(newcomm, *parent, config, &result);
  if (!child) return result;
  Invitation mine{uniqueId ? hash_unique_id(uniqueId) : 0, uniqueId != nullptr};
  return do_or_queue(std::make_unique<GrowTask>(newcomm, child, parent, nRanks, mine));
}
MAYA_PROFILING_NAME(ncclCommGrow);

}  // extern "C"
