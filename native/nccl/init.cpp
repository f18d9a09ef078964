#include <sys/random.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "creation.h"
#include "maya/device.h"

namespace maya::nccl {
namespace {

int make_unique_id(void* id) {
  char bytes[kUniqueIdBytes];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return fail(kSystemError, "no random numbers");
  std::memcpy(id, bytes, sizeof bytes);
  return kSuccess;
}

int init_rank(void** handle, int nranks, uint64_t id, int rank, const void* config) {
  Call entered;
  if (!handle) return fail(kInvalidArgument, "CommInitRank : newcomm argument is NULL");
  *handle = nullptr;
  if (nranks < 1 || rank < 0 || rank >= nranks) {
    return fail(kInvalidArgument, "Invalid rank requested : %d/%d", rank, nranks);
  }
  if (!usable_in_this_process()) return fail(kUnhandledCudaError, "Cuda failure 'initialization error'");
  ensure_context(current_device());
  CommunicatorRef comm = create_communicator(current_device());
  int result = apply_config(config, comm.get());
  if (result != kSuccess) {
    close_communicator(comm.get());
    return result;
  }
  *handle = comm.get();
  return do_or_queue(std::make_unique<JoinTask>(handle, comm, Origin{"init"}, id, rank, nranks));
}

int check_devices(int count, const int* devices) {
  std::set<int> seen;
  for (int i = 0; i < count; ++i) {
    int device = devices ? devices[i] : i;
    if (device < 0 || device >= device_count()) return fail(kInvalidArgument, "Invalid device %d", device);
    if (!seen.insert(device).second) return fail(kInvalidUsage, "Device %d is used twice", device);
  }
  return kSuccess;
}

}  // namespace
}  // namespace maya::nccl

extern "C" {

int ncclGetUniqueId(void* uniqueId) {
  if (!uniqueId) return maya::nccl::fail(maya::nccl::kInvalidArgument, "GetUniqueId : out argument is NULL");
  return maya::nccl::make_unique_id(uniqueId);
}
MAYA_PROFILING_NAME(ncclGetUniqueId);

int ncclCommInitRank(void** comm, int nranks, maya_abi_ncclUniqueId commId, int rank) {
  return maya::nccl::init_rank(comm, nranks, maya::nccl::hash_unique_id(&commId), rank, nullptr);
}
MAYA_PROFILING_NAME(ncclCommInitRank);

int ncclCommInitRankConfig(void** comm, int nranks, maya_abi_ncclUniqueId commId, int rank, void* config) {
  return maya::nccl::init_rank(comm, nranks, maya::nccl::hash_unique_id(&commId), rank, config);
}
MAYA_PROFILING_NAME(ncclCommInitRankConfig);

// All ranks pass the same list of ids; the first identifies the communicator as well as any.
int ncclCommInitRankScalable(void** newcomm, int nranks, int myrank, int nId, void* commIds, void* config) {
  if (nId < 1 || nId > nranks || !commIds) {
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "CommInitRankScalable : invalid number of ids %d",
                            nId);
  }
  return maya::nccl::init_rank(newcomm, nranks, maya::nccl::hash_unique_id(commIds), myrank, config);
}
MAYA_PROFILING_NAME(ncclCommInitRankScalable);

int ncclCommInitAll(void** comm, int ndev, const int* devlist) {
  if (!comm || ndev < 0)
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "Invalid device count requested : %d", ndev);
  int result = maya::nccl::check_devices(ndev, devlist);
  if (result != maya::nccl::kSuccess) return result;
  maya_abi_ncclUniqueId id;
  maya::nccl::make_unique_id(&id);
  int device = maya::current_device();
  ncclGroupStart();
  for (int i = 0; i < ndev; ++i) {
    maya::set_current_device(devlist ? devlist[i] : i);
    ncclCommInitRank(comm + i, ndev, id, i);
  }
  result = ncclGroupEnd();
  maya::set_current_device(device);
  return result;
}
MAYA_PROFILING_NAME(ncclCommInitAll);

}  // extern "C"
