// Starting, ending, teams, memory.
#include <sys/random.h>

#include <cstring>

#include "gen/nvshmem.h"
#include "job.h"

using namespace maya::nvshmem;

namespace {

constexpr size_t kUniqueIdBytes = 128;
constexpr int kUniqueIdVersion = (1 << 16) + kUniqueIdBytes;
constexpr int kFailure = 7;  // NVSHMEMX_ERROR_INTERNAL

}  // namespace

extern "C" {

int nvshmemx_get_uniqueid(void* uniqueid) {
  if (!uniqueid) return kFailure;
  char bytes[kUniqueIdBytes];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return kFailure;
  std::memcpy(bytes, &kUniqueIdVersion, sizeof kUniqueIdVersion);
  std::memcpy(uniqueid, bytes, sizeof bytes);
  return 0;
}

int nvshmemx_set_attr_uniqueid_args(int myrank, int nranks, const void* uniqueid, void* attr) {
  if (!uniqueid || !attr || nranks < 1 || myrank < 0 || myrank >= nranks) return kFailure;
  set_place(myrank, nranks, uniqueid);
  return 0;
}

int nvshmemid_hostlib_init_attr(int requested, int* provided, unsigned int, void*,
                                maya_abi_nvshmemi_version_t, void*) {
  maya::Call entered;
  if (!join_job()) return kFailure;
  if (provided) *provided = requested;
  return 0;
}

int nvshmemx_hostlib_init_attr(unsigned int, void*) {
  return join_job() ? 0 : kFailure;
}

void nvshmemid_hostlib_finalize(void*, void*) {
  leave_job();
}

void nvshmemx_hostlib_finalize() {
  leave_job();
}

int nvshmemid_init_status() {
  return job_status();
}

int nvshmemx_init_status() {
  return job_status();
}

// The version of the OpenSHMEM standard.
void nvshmem_info_get_version(int* major, int* minor) {
  if (major) *major = 1;
  if (minor) *minor = 3;
}

int nvshmem_my_pe() {
  maya::CommunicatorRef world = team(kWorld);
  return world ? world->rank : -1;
}

int nvshmem_n_pes() {
  maya::CommunicatorRef world = team(kWorld);
  return world ? world->nranks : -1;
}

int nvshmem_team_my_pe(int number) {
  maya::CommunicatorRef found = team(number);
  return found ? found->rank : -1;
}

int nvshmem_team_n_pes(int number) {
  maya::CommunicatorRef found = team(number);
  return found ? found->nranks : -1;
}

int nvshmem_team_split_strided(int parent_team, int PE_start, int PE_stride, int PE_size, const void*, long,
                               int* new_team) {
  maya::Call entered;
  if (!new_team || !team(parent_team)) return kFailure;
  *new_team = split_team(parent_team, PE_start, PE_stride, PE_size);
  return 0;
}

void* nvshmem_malloc(size_t size) {
  maya::Call entered;
  return allocate_symmetric(size);
}

void nvshmem_free(void* ptr) {
  maya::Call entered;
  free_symmetric(ptr);
}

void* nvshmem_ptr(const void* ptr, int pe) {
  return address_on(ptr, pe);
}

// There is no multicast address; programs fall back to single peers.
void* nvshmemx_mc_ptr(int, const void*) {
  return nullptr;
}

// Kernels of loaded modules get no device state: they do not run.
int nvshmemx_cumodule_init(void* module) {
  return module ? 0 : kFailure;
}

int nvshmemx_cumodule_finalize(void* module) {
  return module ? 0 : kFailure;
}

int nvshmemx_culibrary_init(void* library) {
  return library ? 0 : kFailure;
}

int nvshmemx_culibrary_finalize(void* library) {
  return library ? 0 : kFailure;
}

}  // extern "C"
