#include "issue.h"

using maya::Collective;
using maya::Kind;
using maya::Schema;
using maya::nccl::collective;
using maya::nccl::CollectiveForm;

namespace {

const char* const kPlainFields[] = {"comm", "count", "datatype", "rank", "nranks", "site:s"};
const char* const kReducedFields[] = {"comm", "count", "datatype", "op", "rank", "nranks", "site:s"};
const char* const kRootedFields[] = {"comm", "count", "datatype", "root", "rank", "nranks", "site:s"};
const char* const kReducedRootedFields[] = {"comm", "count", "datatype", "op",
                                            "root", "rank",  "nranks",   "site:s"};

Schema all_reduce{"ncclAllReduce", Kind::collective, kReducedFields, 7};
Schema broadcast{"ncclBroadcast", Kind::collective, kRootedFields, 7};
Schema reduce{"ncclReduce", Kind::collective, kReducedRootedFields, 8};
Schema all_gather{"ncclAllGather", Kind::collective, kPlainFields, 6};
Schema reduce_scatter{"ncclReduceScatter", Kind::collective, kReducedFields, 7};
Schema all_to_all{"ncclAlltoAll", Kind::collective, kPlainFields, 6};
Schema gather{"ncclGather", Kind::collective, kRootedFields, 7};
Schema scatter{"ncclScatter", Kind::collective, kRootedFields, 7};

constexpr CollectiveForm kAllReduce{Collective::all_reduce, true, false, &all_reduce};
constexpr CollectiveForm kBroadcast{Collective::broadcast, false, true, &broadcast};
constexpr CollectiveForm kReduce{Collective::reduce, true, true, &reduce};
constexpr CollectiveForm kAllGather{Collective::all_gather, false, false, &all_gather};
constexpr CollectiveForm kReduceScatter{Collective::reduce_scatter, true, false, &reduce_scatter};
constexpr CollectiveForm kAlltoAll{Collective::all_to_all, false, false, &all_to_all};
constexpr CollectiveForm kGather{Collective::gather, false, true, &gather};
constexpr CollectiveForm kScatter{Collective::scatter, false, true, &scatter};

}  // namespace

extern "C" {

int ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count, int datatype, int op, void* comm,
                  void* stream) {
  return collective(kAllReduce, {sendbuff, recvbuff, count, datatype, op, 0, comm, stream});
}
MAYA_PROFILING_NAME(ncclAllReduce);

int ncclBroadcast(const void* sendbuff, void* recvbuff, size_t count, int datatype, int root, void* comm,
                  void* stream) {
  return collective(kBroadcast, {sendbuff, recvbuff, count, datatype, 0, root, comm, stream});
}
MAYA_PROFILING_NAME(ncclBroadcast);

int ncclBcast(void* buff, size_t count, int datatype, int root, void* comm, void* stream) {
  return collective(kBroadcast, {buff, buff, count, datatype, 0, root, comm, stream});
}
MAYA_PROFILING_NAME(ncclBcast);

int ncclReduce(const void* sendbuff, void* recvbuff, size_t count, int datatype, int op, int root, void* comm,
               void* stream) {
  return collective(kReduce, {sendbuff, recvbuff, count, datatype, op, root, comm, stream});
}
MAYA_PROFILING_NAME(ncclReduce);

int ncclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount, int datatype, void* comm,
                  void* stream) {
  return collective(kAllGather, {sendbuff, recvbuff, sendcount, datatype, 0, 0, comm, stream});
}
MAYA_PROFILING_NAME(ncclAllGather);

int ncclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount, int datatype, int op,
                      void* comm, void* stream) {
  return collective(kReduceScatter, {sendbuff, recvbuff, recvcount, datatype, op, 0, comm, stream});
}
MAYA_PROFILING_NAME(ncclReduceScatter);

int ncclAlltoAll(const void* sendbuff, void* recvbuff, size_t count, int datatype, void* comm, void* stream) {
  return collective(kAlltoAll, {sendbuff, recvbuff, count, datatype, 0, 0, comm, stream});
}
MAYA_PROFILING_NAME(ncclAlltoAll);

int ncclGather(const void* sendbuff, void* recvbuff, size_t count, int datatype, int root, void* comm,
               void* stream) {
  return collective(kGather, {sendbuff, recvbuff, count, datatype, 0, root, comm, stream});
}
MAYA_PROFILING_NAME(ncclGather);

int ncclScatter(const void* sendbuff, void* recvbuff, size_t count, int datatype, int root, void* comm,
                void* stream) {
  return collective(kScatter, {sendbuff, recvbuff, count, datatype, 0, root, comm, stream});
}
MAYA_PROFILING_NAME(ncclScatter);

}  // extern "C"
