#include "audit.h"

#include <algorithm>

#include "channel.h"
#include "failure.h"
#include "maya/runtime.h"
#include "signature.h"

namespace maya {
namespace {

int world_rank_at(const Communicator& comm, int place) {
  for (int i = 0; i < comm.nranks; ++i) {
    if (comm.place(i) == place) return comm.world_ranks[static_cast<size_t>(i)];
  }
  return place;
}

std::string at(const std::string& site) {
  return site.empty() ? "" : " at " + site;
}

}  // namespace

void Audit::call(const Operation& operation, const std::string& site) {
  const Communicator& comm = *operation.comm;
  if (comm.channel->size() < 2) return;
  std::lock_guard<std::mutex> guard(lock_);
  agreed_.resize(static_cast<size_t>(comm.channel->size()), 0);
  Letter letter;
  letter.lane = Lane::audit;
  letter.sequence = issued_++;
  letter.signature = sign_operation(operation);
  letter.bytes.assign(site.begin(), site.end());
  open_[letter.sequence] = Called{letter.signature, site};
  comm.channel->post(letter);
  for (int place = 0; place < comm.channel->size(); ++place) {
    while (hear(comm, place)) {
    }
  }
  uint64_t agreed = *std::min_element(agreed_.begin(), agreed_.end());
  open_.erase(open_.begin(), open_.lower_bound(agreed));
}

void Audit::look(const Communicator& comm) {
  std::lock_guard<std::mutex> guard(lock_);
  for (int place = 0; place < static_cast<int>(agreed_.size()); ++place) {
    while (hear(comm, place)) {
    }
  }
}

// True when one more call of that member was compared.
bool Audit::hear(const Communicator& comm, int place) {
  uint64_t& next = agreed_[static_cast<size_t>(place)];
  if (place == comm.place(comm.rank)) next = issued_;
  if (next >= issued_) return false;
  Letter letter;
  if (comm.channel->collect(place, Lane::audit, next, 0, &letter) != Collected::arrived) return false;
  const Called& mine = open_[next];
  if (letter.signature != mine.signature) {
    std::string theirs(letter.bytes.begin(), letter.bytes.end());
    fail_job("rank " + std::to_string(config().rank) + " calls " + describe_signature(mine.signature) +
             at(mine.site) + ", but rank " + std::to_string(world_rank_at(comm, place)) + " calls " +
             describe_signature(letter.signature) + at(theirs) + ": call " + std::to_string(next + 1) +
             " of a communicator of " + std::to_string(comm.nranks) + " ranks");
  }
  ++next;
  return true;
}

}  // namespace maya
