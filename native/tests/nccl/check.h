// What the NCCL test programs share: ranks as forked processes, buffers on the faked device.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cudart.h"
#include "nccl.h"

#define EXPLAIN_FAILURE() std::fprintf(stderr, "last NCCL error: %s\n", ncclGetLastError(nullptr))
#include "../expect.h"

enum Type {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBfloat16,
  kE4m3,
  kE5m2
};
enum Op { kSum, kProd, kMax, kMin, kAvg };
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kHostToDevice = 1;
constexpr int kDeviceToHost = 2;

using UniqueId = maya_abi_ncclUniqueId;

// A device buffer with values from the host.
template <typename T>
struct Buffer {
  explicit Buffer(const std::vector<T>& values) : count(values.size()) {
    CHECK(cudaMalloc(&at, count * sizeof(T) + 256) == 0);
    CHECK(cudaMemcpy(at, values.data(), count * sizeof(T), kHostToDevice) == 0);
  }
  explicit Buffer(size_t size) : Buffer(std::vector<T>(size, T(77))) {}
  std::vector<T> read() const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), at, count * sizeof(T), kDeviceToHost) == 0);
    return values;
  }
  void* at = nullptr;
  size_t count;
};

// Shared by all ranks of a test, made before they fork.
struct Meeting {
  UniqueId ids[8];
  int flags[64];
};

inline Meeting* make_meeting() {
  void* at = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* meeting = static_cast<Meeting*>(at);
  for (auto& id : meeting->ids) CHECK(ncclGetUniqueId(&id) == 0);
  return meeting;
}

// Forks `ranks` processes that run `body(meeting, rank)` and returns how many of them failed.
template <typename Body>
int run_ranks(int ranks, Body body) {
  Meeting* meeting = make_meeting();
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    pid_t child = fork();
    if (child == 0) {
      setenv("RANK", std::to_string(rank).c_str(), 1);
      setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
      CHECK(cudaSetDevice(rank) == 0);
      body(*meeting, rank);
      std::exit(0);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  return failed;
}

inline void* join(const UniqueId& id, int ranks, int rank) {
  void* comm = nullptr;
  CHECK(ncclCommInitRank(&comm, ranks, id, rank) == 0);
  return comm;
}
