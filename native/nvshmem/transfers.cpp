// Communication on a stream: recorded as collectives are; those of a whole team exchange small values.
#include "gen/nvshmem.h"
#include "job.h"
#include "maya/stream.h"
#include "maya/values.h"

using namespace maya::nvshmem;
using maya::Collective;
using maya::Kind;
using maya::Schema;

namespace {

constexpr int kFailure = 7;    // NVSHMEMX_ERROR_INTERNAL
constexpr int kBytesType = 0;  // ncclInt8

const char* const kTeamFields[] = {"comm", "count", "datatype", "root", "rank", "nranks"};
const char* const kPeerFields[] = {"comm", "count", "datatype", "peer", "rank", "nranks"};

bool record(Schema& schema, const maya::Communicator& comm, size_t bytes, int peer, maya::Stream* stream) {
  if (!stream) return false;
  maya::submit(schema,
               {static_cast<int64_t>(comm.number), static_cast<int64_t>(bytes), kBytesType, peer, comm.rank,
                comm.nranks},
               *stream);
  return true;
}

int team_transfer(Schema& schema, int number, Collective what, void* to, const void* from, size_t bytes,
                  int root, void* stream) {
  maya::Call entered;
  maya::CommunicatorRef comm = team(number);
  maya::Stream* queue = maya::find_stream(stream);
  if (!comm || !record(schema, *comm, bytes, root, queue)) return kFailure;
  maya::Operation operation{comm, what, from, to, bytes, kBytesType, 0, root, ""};
  if (queue->capture) {
    maya::skip_exchange(operation);
  } else {
    maya::exchange({operation});
  }
  return 0;
}

void peer_transfer(Schema& schema, size_t bytes, int pe, void* stream) {
  maya::Call entered;
  maya::CommunicatorRef world = team(kWorld);
  if (world) record(schema, *world, bytes, pe, maya::find_stream(stream));
}

}  // namespace

extern "C" {

int nvshmemx_alltoallmem_on_stream(int number, void* dest, const void* src, size_t nelem, void* stream) {
  static Schema schema{"nvshmemx_alltoallmem_on_stream", Kind::collective, kTeamFields, 6};
  return team_transfer(schema, number, Collective::all_to_all, dest, src, nelem, 0, stream);
}

int nvshmemx_broadcastmem_on_stream(int number, void* dest, const void* src, size_t nelem, int PE_root,
                                    void* stream) {
  static Schema schema{"nvshmemx_broadcastmem_on_stream", Kind::collective, kTeamFields, 6};
  return team_transfer(schema, number, Collective::broadcast, dest, src, nelem, PE_root, stream);
}

void nvshmemx_putmem_on_stream(void*, const void*, size_t bytes, int pe, void* cstrm) {
  static Schema schema{"nvshmemx_putmem_on_stream", Kind::collective, kPeerFields, 6};
  peer_transfer(schema, bytes, pe, cstrm);
}

void nvshmemx_putmem_signal_on_stream(void*, const void*, size_t bytes, uint64_t*, uint64_t, int, int pe,
                                      void* cstrm) {
  static Schema schema{"nvshmemx_putmem_signal_on_stream", Kind::collective, kPeerFields, 6};
  peer_transfer(schema, bytes, pe, cstrm);
}

void nvshmemx_getmem_on_stream(void* dest, const void*, size_t bytes, int pe, void* cstrm) {
  static Schema schema{"nvshmemx_getmem_on_stream", Kind::collective, kPeerFields, 6};
  peer_transfer(schema, bytes, pe, cstrm);
  maya::forget(dest);
}

void nvshmemx_signal_wait_until_on_stream(uint64_t*, int, uint64_t, void* cstream) {
  static Schema schema{"nvshmemx_signal_wait_until_on_stream", Kind::collective, kPeerFields, 6};
  peer_transfer(schema, 0, -1, cstream);
}

void nvshmemx_barrier_all_on_stream(void* stream) {
  static Schema schema{"nvshmemx_barrier_all_on_stream", Kind::collective, kTeamFields, 6};
  peer_transfer(schema, 0, -1, stream);
}

void nvshmemx_quiet_on_stream(void* cstrm) {
  static Schema schema{"nvshmemx_quiet_on_stream", Kind::collective, kPeerFields, 6};
  peer_transfer(schema, 0, -1, cstrm);
}

// The host waits for all: the only call here that needs the others' real progress.
void nvshmem_barrier_all() {
  maya::Call entered;
  maya::CommunicatorRef world = team(kWorld);
  if (!world) return;
  char here = 1;
  uint64_t sequence = maya::post_control(*world, &here, sizeof here);
  maya::collect_control(*world, sequence, &here, sizeof here);
}

}  // extern "C"
