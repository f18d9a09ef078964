// The host side of communication from inside kernels. Kernels do not run here, so what they are given need
// only be well-formed: ranks, counts and addresses are right, barriers and queues are absent.
#include <cstring>

#include "maya/device.h"
#include "support.h"
#include "windows.h"

namespace maya::nccl {
namespace {

// ncclCommProperties_t; later versions append.
struct Properties {
  size_t size;
  unsigned magic;
  unsigned version;
  int rank, nranks, cuda_device, nvml_device;
  bool device_api, multimem;
  int gin_type;
  int lsa_teams;
  bool host_rma;
  int railed_gin_type;
};

// The leading part of ncclDevComm.
struct DeviceCommunicator {
  unsigned magic;
  unsigned version;
  int rank, nranks;
  uint32_t nranks_reciprocal;
  int lsa_rank, lsa_size;
  uint32_t lsa_size_reciprocal;
};

uint32_t reciprocal(int value) {
  return static_cast<uint32_t>((uint64_t{1} << 32) / static_cast<uint64_t>(value));
}

int window_address(void* window, size_t offset, int peer, void** out) {
  Handle* found = find_window(window);
  if (!found || !out) return fail(kInvalidArgument, "device pointer of an unknown window");
  Window facts = get<Window>(*found, kWindowFacts);
  if (peer < 0 || peer >= facts.nranks || offset >= facts.size)
    return fail(kInvalidArgument, "invalid peer or offset");
  char* base = static_cast<char*>(facts.base);
  if (peer != facts.rank) base = static_cast<char*>(facts.peers) + static_cast<size_t>(peer) * facts.span;
  *out = base + offset;
  return kSuccess;
}

maya_abi_ncclTeam team_of(void* comm) {
  CommunicatorRef found = find_communicator(comm);
  return found ? maya_abi_ncclTeam{found->nranks, found->rank, 1} : maya_abi_ncclTeam{0, 0, 1};
}

}  // namespace
}  // namespace maya::nccl

using namespace maya::nccl;

extern "C" {

int ncclCommQueryProperties(void* comm, void* props) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  auto* out = static_cast<Properties*>(props);
  if (!found || !out || out->magic != kMagic)
    return fail(kInvalidArgument, "CommQueryProperties : invalid argument");
  out->rank = found->rank;
  out->nranks = found->nranks;
  out->cuda_device = found->device;
  out->nvml_device = maya::physical_device(found->device);
  out->device_api = true;
  out->multimem = maya::device_model().major >= 9;
  out->gin_type = 0;
  out->lsa_teams = (found->nranks + found->node_ranks - 1) / found->node_ranks;
  if (out->size >= sizeof(Properties)) {
    out->host_rma = true;
    out->railed_gin_type = 0;
  }
  return kSuccess;
}

int ncclDevCommCreate(void* comm, const void* reqs, void* outDevComm) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found || !reqs || !outDevComm) return fail(kInvalidArgument, "DevCommCreate : invalid argument");
  int lsa_rank = found->rank % found->node_ranks;
  DeviceCommunicator out{kMagic,
                         static_cast<unsigned>(kVersion),
                         found->rank,
                         found->nranks,
                         reciprocal(found->nranks),
                         lsa_rank,
                         found->node_ranks,
                         reciprocal(found->node_ranks)};
  std::memcpy(outDevComm, &out, sizeof out);
  return kSuccess;
}

int ncclDevCommDestroy(void* comm, const void* devComm) {
  if (!maya::find_communicator(comm) || !devComm)
    return fail(kInvalidArgument, "DevCommDestroy : invalid argument");
  return kSuccess;
}

int ncclGetPeerDevicePointer(void* window, size_t offset, int peer, void** outPtr) {
  return window_address(window, offset, peer, outPtr);
}

int ncclGetLsaDevicePointer(void* window, size_t offset, int lsaRank, void** outPtr) {
  return window_address(window, offset, lsaRank, outPtr);
}

// Multicast: any address that stands for all peers will do.
int ncclGetLsaMultimemDevicePointer(void* window, size_t offset, void** outPtr) {
  return window_address(window, offset, 0, outPtr);
}

int ncclGetMultimemDevicePointer(void* window, size_t offset, maya_abi_ncclMultimemHandle, void** outPtr) {
  return window_address(window, offset, 0, outPtr);
}

maya_abi_ncclTeam ncclTeamWorld(void* comm) {
  return team_of(comm);
}

maya_abi_ncclTeam ncclTeamLsa(void* comm) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found) return {0, 0, 1};
  return {found->node_ranks, found->rank % found->node_ranks, 1};
}

maya_abi_ncclTeam ncclTeamRail(void* comm) {
  maya::CommunicatorRef found = maya::find_communicator(comm);
  if (!found) return {0, 0, 1};
  return {found->nranks / found->node_ranks, found->rank / found->node_ranks, found->node_ranks};
}

int ncclTeamRankToWorld(void* comm, maya_abi_ncclTeam team, int rank) {
  return team_of(comm).rank + (rank - team.rank) * team.stride;
}

int ncclTeamRankToLsa(void* comm, maya_abi_ncclTeam team, int rank) {
  return ncclTeamLsa(comm).rank + (rank - team.rank) * team.stride;
}

}  // extern "C"
