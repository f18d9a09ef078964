// Making communicators, from nothing and from each other; wrong use; peers that are gone.
#include <ctime>
#include <string>

#include "check.h"

namespace {

using Ints = std::vector<int64_t>;

int64_t sum(void* comm, int64_t value) {
  Buffer<int64_t> mine(Ints{value}), result(1);
  CHECK(ncclAllReduce(mine.at, result.at, 1, kInt64, kSum, comm, nullptr) == 0);
  return result.read()[0];
}

void split(Meeting& meeting, int rank) {
  void* world = join(meeting.ids[0], 4, rank);
  void *half = nullptr, *none = nullptr, *reversed = nullptr;
  CHECK(ncclCommSplit(world, rank % 2, rank, &half, nullptr) == 0);
  int count = 0, place = -1;
  CHECK(ncclCommCount(half, &count) == 0 && count == 2);
  CHECK(sum(half, rank) == (rank % 2 ? 1 + 3 : 0 + 2));
  CHECK(ncclCommSplit(world, rank == 3 ? -1 : 7, -rank, &none, nullptr) == 0);
  CHECK((none == nullptr) == (rank == 3));
  if (none) CHECK(ncclCommUserRank(none, &place) == 0 && place == 2 - rank);
  CHECK(ncclCommSplit(world, 0, -rank, &reversed, nullptr) == 0);
  CHECK(ncclCommUserRank(reversed, &place) == 0 && place == 3 - rank);
  CHECK(sum(reversed, 1) == 4);
  CHECK(ncclCommSplit(world, -2, 0, &none, nullptr) == kInvalidArgument);
  int gone[] = {1, 2};
  if (rank == 0 || rank == 3) {
    void* smaller = nullptr;
    CHECK(ncclCommShrink(world, gone, 2, &smaller, nullptr, 0) == 0);
    CHECK(ncclCommUserRank(smaller, &place) == 0 && place == (rank == 3));
    CHECK(sum(smaller, rank) == 3);
  }
}

void grow(Meeting& meeting, int rank) {
  void *small = nullptr, *grown = nullptr;
  if (rank < 2) {
    small = join(meeting.ids[0], 2, rank);
    CHECK(ncclCommGrow(small, 3, rank == 1 ? &meeting.ids[1] : nullptr, -1, &grown, nullptr) == 0);
  } else {
    CHECK(ncclCommGrow(nullptr, 3, &meeting.ids[1], 2, &grown, nullptr) == 0);
  }
  CHECK(sum(grown, rank + 1) == 6);
}

// Each rank receives from one neighbour before it sends to the other, over a communicator for each pair:
// on a device both are merely enqueued, so nobody may wait here for ever.
void ring(Meeting& meeting, int rank) {
  int previous = (rank + 2) % 3;
  void *to_next = nullptr, *to_previous = nullptr;
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclCommInitRank(&to_next, 2, meeting.ids[rank], 0) == 0);
  CHECK(ncclCommInitRank(&to_previous, 2, meeting.ids[previous], 1) == 0);
  CHECK(ncclGroupEnd() == 0);
  Buffer<int64_t> mine(Ints{rank}), theirs(1);
  CHECK(ncclRecv(theirs.at, 1, kInt64, 0, to_previous, nullptr) == 0);
  CHECK(ncclSend(mine.at, 1, kInt64, 1, to_next, nullptr) == 0);
  Buffer<int64_t> again(1);
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclSend(mine.at, 1, kInt64, 1, to_next, nullptr) == 0);
  CHECK(ncclRecv(again.at, 1, kInt64, 0, to_previous, nullptr) == 0);
  CHECK(ncclGroupEnd() == 0);
  CHECK(theirs.read() == Ints{previous} && again.read() == Ints{previous});
}

// The sender comes after the receiver's host went on: whoever reads the memory then waits for the message,
// and what was written there in the meantime stays.
// A kernel reads what the sender sends only after it has worked, or slept, for longer than kernels wait.
void slow_sender(Meeting& meeting, int rank, bool works) {
  constexpr int kDeviceToDevice = 3;
  void* comm = join(meeting.ids[0], 2, rank);
  Buffer<int64_t> message(Ints{5}), received(1), copied(1);
  if (rank == 1) {
    time_t end = time(nullptr) + 7;
    while (time(nullptr) < end) {
      if (!works) usleep(100 * 1000);
    }
    CHECK(ncclSend(message.at, 1, kInt64, 0, comm, nullptr) == 0);
    return;
  }
  CHECK(ncclRecv(received.at, 1, kInt64, 1, comm, nullptr) == 0);
  CHECK(cudaMemcpy(copied.at, received.at, sizeof(int64_t), kDeviceToDevice) == 0);
  CHECK(copied.read() == Ints{works ? 5 : 0});
}

void working_sender(Meeting& meeting, int rank) {
  slow_sender(meeting, rank, true);
}

void sleeping_sender(Meeting& meeting, int rank) {
  slow_sender(meeting, rank, false);
}

void late_sender(Meeting& meeting, int rank) {
  constexpr int kDeviceToDevice = 3;
  void* comm = join(meeting.ids[0], 2, rank);
  Buffer<int64_t> message(Ints{5}), copied(1), other(1);
  if (rank == 1) {
    sleep(3);
    for (int i = 0; i < 2; ++i) CHECK(ncclSend(message.at, 1, kInt64, 0, comm, nullptr) == 0);
    return;
  }
  Buffer<int64_t> received(1);
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclRecv(received.at, 1, kInt64, 1, comm, nullptr) == 0);
  CHECK(ncclRecv(other.at, 1, kInt64, 1, comm, nullptr) == 0);
  CHECK(ncclGroupEnd() == 0);
  int64_t nine = 9;
  CHECK(cudaMemcpy(other.at, &nine, sizeof nine, kHostToDevice) == 0);
  CHECK(cudaMemcpy(copied.at, received.at, sizeof nine, kDeviceToDevice) == 0);
  CHECK(copied.read() == Ints{5} && received.read() == Ints{5} && other.read() == Ints{9});
}

void wrong_use(Meeting& meeting, int rank) {
  void* comm = nullptr;
  CHECK(ncclCommInitRank(&comm, 2, meeting.ids[0], 2) == kInvalidArgument);
  CHECK(ncclCommInitRank(&comm, 0, meeting.ids[0], 0) == kInvalidArgument);
  CHECK(ncclCommInitRank(nullptr, 2, meeting.ids[0], 0) == kInvalidArgument);
  comm = join(meeting.ids[0], 2, rank);
  Buffer<float> buffer(4);
  void* at = buffer.at;
  CHECK(ncclAllReduce(at, at, 1, 99, kSum, comm, nullptr) == kInvalidArgument);
  CHECK(ncclAllReduce(at, at, 1, kFloat32, 9, comm, nullptr) == kInvalidArgument);
  CHECK(ncclAllReduce(nullptr, at, 1, kFloat32, kSum, comm, nullptr) == kInvalidArgument);
  CHECK(ncclAllReduce(at, at, 1, kFloat32, kSum, nullptr, nullptr) == kInvalidArgument);
  CHECK(ncclAllReduce(at, at, 1, kFloat32, kSum, &buffer, nullptr) == kInvalidArgument);
  CHECK(ncclBroadcast(at, at, 1, kFloat32, 2, comm, nullptr) == kInvalidArgument);
  CHECK(ncclSend(at, 1, kFloat32, -1, comm, nullptr) == kInvalidArgument);
  CHECK(ncclGroupEnd() == kInvalidUsage);
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclSend(at, 1, kFloat32, 5, comm, nullptr) == kInvalidArgument);
  CHECK(ncclGroupEnd() == kInvalidArgument);
  CHECK(ncclGroupEnd() == kInvalidUsage);
  CHECK(std::string(ncclGetErrorString(kInvalidUsage)).find("invalid usage") == 0);
  CHECK(ncclAllReduce(at, at, 0, kFloat32, kSum, comm, nullptr) == 0);
  CHECK(ncclCommFinalize(comm) == 0);
  CHECK(ncclAllReduce(at, at, 1, kFloat32, kSum, comm, nullptr) == kInvalidArgument);
  // Two ranks on one GPU.
  CHECK(cudaSetDevice(0) == 0);
  void* second = nullptr;
  CHECK(ncclCommInitRank(&second, 2, meeting.ids[1], rank) == kInvalidUsage);
  CHECK(second == nullptr);
}

void crash(Meeting& meeting, int rank) {
  void* comm = join(meeting.ids[0], 3, rank);
  CHECK(sum(comm, 1) == 3);
  if (rank == 1) _exit(0);
  for (int i = 0; i < 5; ++i) CHECK(sum(comm, 1) == 0);  // unknown, and soon
}

void missing_rank(Meeting& meeting, int rank) {
  void* comm = join(meeting.ids[0], 3, rank);  // only two come
  CHECK(sum(comm, 1) == 0);
}

uint64_t memory_of(void* comm) {
  constexpr int kTotal = 3;
  uint64_t bytes = 0;
  CHECK(ncclCommMemStats(comm, kTotal, &bytes) == 0);
  return bytes;
}

size_t free_memory() {
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total) == 0);
  return free_bytes;
}

// Connections are made by the first call that needs them, stay, and end with the communicator.
void memory(Meeting& meeting, int rank) {
  constexpr uint64_t kMiB = 1 << 20;
  Buffer<int64_t> buffer(Ints{1});
  const size_t before = free_memory();
  void* comm = join(meeting.ids[0], 2, rank);
  CHECK(memory_of(comm) == 0 && free_memory() == before);
  CHECK(sum(comm, 1) == 2);
  const uint64_t ring = 24 * 12 * kMiB;
  CHECK(memory_of(comm) == ring && free_memory() == before - ring);
  CHECK(sum(comm, 1) == 2);
  CHECK(memory_of(comm) == ring);
  CHECK((rank ? ncclSend(buffer.at, 1, kInt64, 0, comm, nullptr)
              : ncclRecv(buffer.at, 1, kInt64, 1, comm, nullptr)) == 0);
  CHECK(memory_of(comm) == ring + 32 * 6 * kMiB);
  CHECK(ncclCommDestroy(comm) == 0);
  CHECK(free_memory() == before);
}

int one_thread() {
  constexpr int kDevices = 4;
  void* comms[kDevices];
  int devices[] = {3, 1, 0, 2}, twice[] = {0, 0}, missing[] = {0, 99};
  CHECK(ncclCommInitAll(comms, 2, twice) == kInvalidUsage);
  CHECK(ncclCommInitAll(comms, 2, missing) == kInvalidArgument);
  CHECK(ncclCommInitAll(comms, kDevices, devices) == 0);
  std::vector<Buffer<int64_t>> inputs, outputs;
  CHECK(ncclGroupStart() == 0);
  for (int i = 0; i < kDevices; ++i) {
    inputs.emplace_back(Ints{i});
    outputs.emplace_back(1);
    CHECK(ncclAllReduce(inputs[i].at, outputs[i].at, 1, kInt64, kSum, comms[i], nullptr) == 0);
  }
  CHECK(ncclGroupEnd() == 0);
  for (auto& output : outputs) CHECK(output.read() == Ints{6});
  for (void* comm : comms) CHECK(ncclCommDestroy(comm) == 0);
  void* memory = nullptr;
  CHECK(ncclMemAlloc(&memory, 1000) == 0 && memory);
  CHECK(ncclMemFree(memory) == 0);
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  std::string what = arguments[1];
  if (what == "split") return run_ranks(4, split);
  if (what == "grow") return run_ranks(3, grow);
  if (what == "ring") return run_ranks(3, ring);
  if (what == "late_sender") return run_ranks(2, late_sender);
  if (what == "working_sender") return run_ranks(2, working_sender);
  if (what == "sleeping_sender") return run_ranks(2, sleeping_sender);
  if (what == "wrong_use") return run_ranks(2, wrong_use);
  if (what == "crash") return run_ranks(3, crash);
  if (what == "missing_rank") return run_ranks(2, missing_rank);
  if (what == "memory") return run_ranks(2, memory);
  if (what == "one_thread") return one_thread();
  return 2;
}
