#include <atomic>

#include "issue.h"

namespace maya::nccl {
namespace {

const char* const kFields[] = {"what:s"};
Schema group_schema{"group", Kind::group, kFields, 1};

void note_group(const char* what, int depth) {
  note(group_schema, {intern(what)}, 0, static_cast<uint64_t>(depth));
}

template <typename Round>
int all_tasks(const std::vector<std::unique_ptr<GroupTask>>& tasks, int result, Round round) {
  for (const auto& task : tasks) {
    int outcome = round(*task);
    if (result == kSuccess) result = outcome;
  }
  return result;
}

int run(Group& group) {
  auto tasks = std::move(group.tasks);
  auto collectives = std::move(group.collectives);
  group.tasks.clear();
  group.collectives.clear();
  int result = group.error;
  group.error = kSuccess;
  if (result != kSuccess) return result;
  result = all_tasks(tasks, result, [](GroupTask& task) { return task.post(); });
  result = all_tasks(tasks, result, [](GroupTask& task) { return task.meet(); });
  result = all_tasks(tasks, result, [](GroupTask& task) { return task.finish(); });
  static std::atomic<uint64_t> groups{0};
  if (!collectives.empty()) issue(collectives, ++groups);
  return result;
}

}  // namespace

int do_or_queue(std::unique_ptr<GroupTask> task) {
  Group& group = this_threads_group();
  group.tasks.push_back(std::move(task));
  return group.depth > 0 ? kSuccess : run(group);
}

}  // namespace maya::nccl

extern "C" {

int ncclGroupStart() {
  maya::Call entered;
  maya::nccl::note_group("start", ++maya::this_threads_group().depth);
  return maya::nccl::kSuccess;
}
MAYA_PROFILING_NAME(ncclGroupStart);

int ncclGroupEnd() {
  maya::Call entered;
  maya::Group& group = maya::this_threads_group();
  if (group.depth == 0) {
    return maya::nccl::fail(maya::nccl::kInvalidUsage, "ncclGroupEnd: not in a group call.");
  }
  int depth = group.depth--;
  int result = depth == 1 ? maya::nccl::run(group) : maya::nccl::kSuccess;
  maya::nccl::note_group("end", depth);
  return result;
}
MAYA_PROFILING_NAME(ncclGroupEnd);

// The calls of the group are dropped, as in the real library; how long they would take is not this layer's to
// say.
int ncclGroupSimulateEnd(void* simInfo) {
  maya::Call entered;
  auto* info = static_cast<maya::nccl::SimulationInfo*>(simInfo);
  maya::Group& group = maya::this_threads_group();
  if (group.depth == 0) {
    return maya::nccl::fail(maya::nccl::kInvalidUsage, "ncclGroupSimulateEnd: not in a group call.");
  }
  if (info && info->magic != maya::nccl::kSimulationMagic) {
    return maya::nccl::fail(maya::nccl::kInvalidArgument, "ncclSimInfo_t argument not initialized");
  }
  if (group.depth == 1) {
    group.tasks.clear();
    group.collectives.clear();
    group.error = maya::nccl::kSuccess;
  }
  maya::nccl::note_group("end", group.depth--);
  if (info) info->estimated_time = 0;
  return maya::nccl::kSuccess;
}
MAYA_PROFILING_NAME(ncclGroupSimulateEnd);

}  // extern "C"
