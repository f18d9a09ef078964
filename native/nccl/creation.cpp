#include "creation.h"

#include <strings.h>
#include <cstdlib>
#include <string>

namespace maya::nccl {
namespace {

bool torch_checks_collectives() {
  const char* level = std::getenv("TORCH_DISTRIBUTED_DEBUG");
  return level && !strcasecmp(level, "DETAIL");
}

void record_creation(const Communicator& comm, const Origin& origin) {
  static const char* const fields[] = {"comm",   "rank",     "nranks", "device",    "parent",
                                       "colour", "origin:s", "name:s", "members:s", "checked"};
  static Schema schema{"comm", Kind::comm, fields, 10};
  std::string members;
  for (int rank : comm.world_ranks) members += (members.empty() ? "" : ",") + std::to_string(rank);
  note(schema,
       {static_cast<int64_t>(comm.number), comm.rank, comm.nranks, comm.device,
        static_cast<int64_t>(origin.parent), origin.colour, intern(origin.how), intern(comm.name.c_str()),
        intern(members.c_str()), comm.checked},
       0, comm.id);
}

}  // namespace

int apply_config(const void* config, Communicator* comm) {
  const auto* given = static_cast<const Config*>(config);
  if (!given) return kSuccess;
  if (given->magic != kMagic) return fail(kInvalidArgument, "ncclConfig_t argument not initialized");
  if (given->blocking != kUndefined && given->blocking != 0 && given->blocking != 1) {
    return fail(kInvalidArgument, "Invalid config blocking attribute value %d", given->blocking);
  }
  bool has_name = given->size >= sizeof(Config);
  if (comm && has_name && given->comm_name) comm->name = given->comm_name;
  return kSuccess;
}

void JoinTask::place(uint64_t id, int rank, int nranks) {
  id_ = id;
  rank_ = rank;
  nranks_ = nranks;
  placed_ = true;
}

int JoinTask::abandon(int result) {
  if (comm_) close_communicator(comm_.get());
  if (handle_) *handle_ = nullptr;
  started_ = false;
  return result;
}

int JoinTask::start() {
  if (start_joining(*comm_, id_, rank_, nranks_) != JoinResult::ok) {
    return abandon(
        fail(kInvalidUsage, "rank %d of %d is taken, or ranks disagree about their number", rank_, nranks_));
  }
  started_ = true;
  return kSuccess;
}

int JoinTask::finish() {
  if (!started_) return kSuccess;
  if (finish_joining(*comm_) == JoinResult::duplicate_device) {
    return abandon(fail(kInvalidUsage,
                        "Duplicate GPU detected : rank %d shares CUDA device %d with another rank",
                        comm_->rank, comm_->device));
  }
  comm_->checked = torch_checks_collectives();
  record_creation(*comm_, origin_);
  return kSuccess;
}

}  // namespace maya::nccl
