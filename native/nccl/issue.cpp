#include "issue.h"

#include "maya/library_memory.h"
#include "maya/runtime.h"
#include "maya/stream.h"

namespace maya::nccl {
namespace {

bool needs_input(const CollectiveForm& form, const CollectiveCall& call, const Communicator& comm) {
  bool root_alone = form.what == Collective::scatter || form.what == Collective::broadcast;
  return form.what != Collective::recv && (!root_alone || comm.rank == call.root);
}

bool needs_output(const CollectiveForm& form, const CollectiveCall& call, const Communicator& comm) {
  bool root_alone = form.what == Collective::gather || form.what == Collective::reduce;
  return form.what != Collective::send && (!root_alone || comm.rank == call.root);
}

bool known_op(const Communicator& comm, int op, int type) {
  if (op >= 0 && op < kBuiltInOps) return true;
  size_t index = static_cast<size_t>(op - kBuiltInOps);
  if (op < 0 || index >= comm.scaled_sums.size()) return false;
  return comm.scaled_sums[index].alive && comm.scaled_sums[index].type == type;
}

int check(const CollectiveForm& form, const CollectiveCall& call, const Communicator& comm) {
  const char* name = form.schema->name;
  if (form.rooted && (call.root < 0 || call.root >= comm.nranks)) {
    return fail(kInvalidArgument, "%s : invalid root %d (root should be in the 0..%d range)", name, call.root,
                comm.nranks);
  }
  if (call.type < 0 || call.type >= kTypes)
    return fail(kInvalidArgument, "%s : invalid type %d", name, call.type);
  if (form.reduces && !known_op(comm, call.op, call.type)) {
    return fail(kInvalidArgument, "%s : invalid reduction operation %d", name, call.op);
  }
  if (call.count && needs_input(form, call, comm) && !call.input) {
    return fail(kInvalidArgument, "%s : sendbuff argument is NULL", name);
  }
  if (call.count && needs_output(form, call, comm) && !call.output) {
    return fail(kInvalidArgument, "%s : recvbuff argument is NULL", name);
  }
  return kSuccess;
}

std::vector<int64_t> record_values(const CollectiveForm& form, const CollectiveCall& call,
                                   const Communicator& comm, const std::string& site) {
  std::vector<int64_t> values{static_cast<int64_t>(comm.number), static_cast<int64_t>(call.count), call.type};
  if (form.reduces) values.push_back(call.op);
  if (form.rooted) values.push_back(call.root);
  values.push_back(comm.rank);
  values.push_back(comm.nranks);
  values.push_back(intern(site.c_str()));
  return values;
}

}  // namespace

int collective(const CollectiveForm& form, const CollectiveCall& call) {
  Call entered;
  int result = kSuccess;
  CommunicatorRef comm = usable(call.comm, form.schema->name, &result);
  if (!comm) return result;
  if (!comm->joined) return fail(kInvalidArgument, "%s : communicator is not initialized", form.schema->name);
  result = check(form, call, *comm);
  if (result != kSuccess) return result;
  Stream* stream = find_stream(call.stream);
  if (!stream) return fail(kUnhandledCudaError, "%s : invalid stream", form.schema->name);
  if (call.count == 0) return kSuccess;
  if (!charge_connections(*comm, form.what, call.root)) {
    return fail(kUnhandledCudaError, "%s : Cuda failure 'out of memory'", form.schema->name);
  }
  QueuedCollective queued;
  std::string site = comm->nranks > 1 ? python_site() : "";
  queued.values = record_values(form, call, *comm, site);
  queued.operation =
      Operation{comm, form.what, call.input, call.output, call.count, call.type, call.op, call.root, site};
  queued.schema = form.schema;
  queued.stream = stream;
  Group& group = this_threads_group();
  if (group.depth > 0) {
    group.collectives.push_back(std::move(queued));
  } else {
    issue({queued}, 0);
  }
  return kSuccess;
}

namespace {

// An all-to-all is sends and receives in a group, one of them with itself.
bool includes_itself(const std::vector<QueuedCollective>& queued) {
  for (const QueuedCollective& one : queued) {
    if (one.operation.what == Collective::send && one.operation.root == one.operation.comm->rank) return true;
  }
  return false;
}

void note_partners(const std::vector<QueuedCollective>& queued) {
  if (includes_itself(queued)) return;
  for (const QueuedCollective& one : queued) {
    const Operation& operation = one.operation;
    bool direct = operation.what == Collective::send || operation.what == Collective::recv;
    if (direct) note_partner(*operation.comm, operation.root);
  }
}

}  // namespace

void issue(const std::vector<QueuedCollective>& queued, uint64_t group_number) {
  std::vector<Operation> performed;
  std::vector<Attendance> attended;
  for (const QueuedCollective& one : queued) {
    // `a` numbers the communicator's calls, which is what later matches the ranks' records with each other.
    uint64_t number = one.operation.comm->operations.fetch_add(1);
    uint32_t definition =
        submit(*one.schema, one.values.data(), one.values.size(), *one.stream, number, group_number);
    attended.push_back({one.operation, one.stream, definition});
    if (one.stream->capture) {
      skip_exchange(one.operation);
    } else {
      performed.push_back(one.operation);
    }
  }
  note_partners(queued);
  attend(attended);
  exchange(performed);
}

}  // namespace maya::nccl
