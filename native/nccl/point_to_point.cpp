#include "issue.h"
#include "maya/stream.h"
#include "maya/values.h"

using maya::Collective;
using maya::Kind;
using maya::Schema;
using maya::nccl::collective;
using maya::nccl::CollectiveForm;

namespace {

const char* const kFields[] = {"comm", "count", "datatype", "peer", "rank", "nranks", "site:s"};
Schema send{"ncclSend", Kind::collective, kFields, 7};
Schema recv{"ncclRecv", Kind::collective, kFields, 7};

constexpr CollectiveForm kSend{Collective::send, false, true, &send};
constexpr CollectiveForm kRecv{Collective::recv, false, true, &recv};

// One-sided operations write into another rank's window at a moment that nobody here can know: they are
// recorded, and what a rank waited for is unknown to it afterwards.
int one_sided(Schema& schema, void* comm, void* stream, int64_t count, int64_t type, int64_t peer) {
  maya::Call entered;
  int result = maya::nccl::kSuccess;
  maya::CommunicatorRef found = maya::nccl::usable(comm, schema.name, &result);
  if (!found) return result;
  if (peer < 0 || peer >= found->nranks) {
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "%s : invalid peer %d", schema.name,
                            static_cast<int>(peer));
  }
  maya::Stream* queue = maya::find_stream(stream);
  if (!queue) return maya::nccl::fail(maya::nccl::kUnhandledCudaError, "%s : invalid stream", schema.name);
  maya::submit(schema, {static_cast<int64_t>(found->number), count, type, peer, found->rank, found->nranks},
               *queue, found->operations.fetch_add(1));
  return maya::nccl::kSuccess;
}

}  // namespace

extern "C" {

int ncclSend(const void* sendbuff, size_t count, int datatype, int peer, void* comm, void* stream) {
  return collective(kSend, {sendbuff, nullptr, count, datatype, 0, peer, comm, stream});
}
MAYA_PROFILING_NAME(ncclSend);

int ncclRecv(void* recvbuff, size_t count, int datatype, int peer, void* comm, void* stream) {
  return collective(kRecv, {nullptr, recvbuff, count, datatype, 0, peer, comm, stream});
}
MAYA_PROFILING_NAME(ncclRecv);

int ncclPutSignal(const void*, size_t count, int datatype, int peer, void*, size_t, int, int, unsigned int,
                  void* comm, void* stream) {
  static Schema schema{"ncclPutSignal", Kind::collective, kFields, 6};
  return one_sided(schema, comm, stream, static_cast<int64_t>(count), datatype, peer);
}
MAYA_PROFILING_NAME(ncclPutSignal);

int ncclSignal(int peer, int, int, unsigned int, void* comm, void* stream) {
  static Schema schema{"ncclSignal", Kind::collective, kFields, 6};
  return one_sided(schema, comm, stream, 0, 0, peer);
}
MAYA_PROFILING_NAME(ncclSignal);

int ncclWaitSignal(int nDesc, void* signalDescs, void* comm, void* stream) {
  static Schema schema{"ncclWaitSignal", Kind::collective, kFields, 6};
  struct Description {
    int count, peer, signal, context;
  };
  const auto* descriptions = static_cast<const Description*>(signalDescs);
  if (nDesc < 0 || (nDesc > 0 && !descriptions)) {
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "WaitSignal : no signal descriptors");
  }
  for (int i = 0; i < nDesc; ++i) {
    int result = one_sided(schema, comm, stream, descriptions[i].count, 0, descriptions[i].peer);
    if (result != maya::nccl::kSuccess) return result;
  }
  maya::nccl::forget_windows(comm);
  return maya::nccl::kSuccess;
}
MAYA_PROFILING_NAME(ncclWaitSignal);

}  // extern "C"
