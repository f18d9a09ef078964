// Transfers whose end is certain while their members rest. The end of one changes only when another begins or
// ends on links that hang together with its own. Where all of those have the same members, and none begins
// before its last member has come, no rank is surprised: what changes the end waits for its own arrival.
#include <numeric>
#include <unordered_map>

#include "mixed.h"
#include "simulation.h"

namespace maya::engine {
namespace {

constexpr uint64_t kOpen = 0;  // in the place of its members' hash: others may change when it ends

// Links that some transfers use together, as trees.
class LinkGroups {
 public:
  explicit LinkGroups(int64_t links) : above_(links) { std::iota(above_.begin(), above_.end(), 0); }

  int32_t find(int32_t link) {
    while (above_[link] != link) link = above_[link] = above_[above_[link]];
    return link;
  }
  void unite(int32_t one, int32_t other) { above_[find(one)] = find(other); }

 private:
  std::vector<int32_t> above_;
};

std::vector<int64_t> collective_calls(const MayaProgram& p, int64_t begin, int64_t end) {
  std::vector<int64_t> found;
  for (int64_t call = begin; call < end; ++call) {
    if (static_cast<Op>(p.op[call]) == Op::collective) found.push_back(call);
  }
  return found;
}

}  // namespace

// By transfer: a hash of the ranks that take part.
std::vector<uint64_t> Simulation::hash_members() const {
  std::vector<uint64_t> members(p_.transfer_count, 1);
  std::unordered_map<int64_t, std::vector<int64_t>> calls;  // of ranks that share them
  for (int64_t rank = 0; rank < p_.rank_count; ++rank) {
    auto [found, made] = calls.try_emplace(p_.rank_begin[rank]);
    if (made) found->second = collective_calls(p_, p_.rank_begin[rank], p_.rank_end[rank]);
    for (int64_t call : found->second) {
      for (int32_t member = p_.operand[call]; member < p_.operand[call] + p_.count[call]; ++member) {
        uint64_t& hash = members[transfer_of(static_cast<int32_t>(rank), member)];
        hash = buffered(member) || hash == kOpen ? kOpen : hash + mixed(static_cast<uint64_t>(rank));
      }
    }
  }
  return members;
}

void Simulation::find_closed_transfers() {
  std::vector<uint64_t> members = hash_members();
  LinkGroups groups(p_.resource_count);
  auto first_link = [this](int64_t transfer) { return p_.resource[p_.transfer_resources[transfer]]; };
  auto has_links = [this](int64_t transfer) {
    return s_.share_links && p_.transfer_resources[transfer] < p_.transfer_resources[transfer + 1];
  };
  for (int64_t i = 0; i < p_.transfer_count && s_.share_links; ++i) {
    for (int64_t at = p_.transfer_resources[i]; at < p_.transfer_resources[i + 1]; ++at) {
      groups.unite(first_link(i), p_.resource[at]);
    }
  }
  std::unordered_map<int32_t, uint64_t> of_group;
  for (int64_t i = 0; i < p_.transfer_count; ++i) {
    if (!has_links(i)) continue;
    uint64_t& common = of_group.try_emplace(groups.find(first_link(i)), members[i]).first->second;
    if (common != members[i]) common = kOpen;
  }
  for (int64_t i = 0; i < p_.transfer_count; ++i) {
    transfers_[i].closed = (has_links(i) ? of_group[groups.find(first_link(i))] : members[i]) != kOpen;
  }
}

}  // namespace maya::engine
