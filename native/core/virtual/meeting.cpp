#include "virtual/meeting.h"

#include <algorithm>
#include <cstring>

namespace maya {

void Meeting::with(const Operation& operation, bool sender_waits) {
  if (operation.what == Collective::send || operation.what == Collective::recv) {
    message(operation, sender_waits);
  } else {
    with_all(operation.comm);
  }
}

void Meeting::with_all(const CommunicatorRef& comm) {
  if (!comm->channel || comm->nranks < 2) return;
  uint64_t sequence = comm->met++;
  told_.push_back({comm->channel, -1, Lane::arrival, sequence});
  for (int member = 0; member < comm->nranks; ++member) {
    if (member == comm->rank || comm->is_virtual(member)) continue;
    awaited_.push_back({comm->channel, comm->place(member), Lane::arrival, sequence});
  }
}

void Meeting::message(const Operation& operation, bool sender_waits) {
  Communicator& comm = *operation.comm;
  int peer = operation.root;
  if (!comm.channel || peer == comm.rank || comm.is_virtual(peer)) return;
  bool sends = operation.what == Collective::send;
  uint64_t sequence = (sends ? comm.met_sending : comm.met_receiving)[static_cast<size_t>(peer)]++;
  Lane mine = sends ? Lane::sending : Lane::receiving, theirs = sends ? Lane::receiving : Lane::sending;
  told_.push_back({comm.channel, comm.place(peer), mine, sequence});
  if (!sends || sender_waits) awaited_.push_back({comm.channel, comm.place(peer), theirs, sequence});
}

void Meeting::arrive(int64_t at_ns) {
  for (const Letterbox& to : told_) {
    Letter letter;
    letter.lane = to.lane;
    letter.target = to.place;
    letter.sequence = to.sequence;
    letter.bytes.resize(sizeof at_ns);
    std::memcpy(letter.bytes.data(), &at_ns, sizeof at_ns);
    to.channel->post(letter);
  }
}

void Meeting::listen(uint64_t deadline_ns) {
  Letterbox from = awaited_.back();
  Letter letter;
  Collected collected = from.channel->collect(from.place, from.lane, from.sequence, deadline_ns, &letter);
  if (collected == Collected::late) return;
  int64_t at_ns = 0;
  if (letter.bytes.size() == sizeof at_ns) std::memcpy(&at_ns, letter.bytes.data(), sizeof at_ns);
  others_ns_ = std::max(others_ns_, at_ns);
  awaited_.pop_back();
}

}  // namespace maya
