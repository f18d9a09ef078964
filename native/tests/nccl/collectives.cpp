// Values after each collective, for every type and operation.
#include <cmath>
#include <string>

#include "check.h"

namespace {

constexpr int kRanks = 4;
using Ints = std::vector<int64_t>;

void check_moves(void* comm, int rank) {
  int64_t r = rank;
  Buffer<int64_t> mine(Ints{r, 10 * r}), all(2 * kRanks), one(2);
  CHECK(ncclAllGather(mine.at, all.at, 2, kInt64, comm, nullptr) == 0);
  CHECK((all.read() == Ints{0, 0, 1, 10, 2, 20, 3, 30}));
  CHECK(ncclBroadcast(mine.at, one.at, 2, kInt64, 2, comm, nullptr) == 0);
  CHECK((one.read() == Ints{2, 20}));
  Buffer<int64_t> in_place(Ints{r + 5});
  CHECK(ncclBcast(in_place.at, 1, kInt64, 3, comm, nullptr) == 0);
  CHECK((in_place.read() == Ints{8}));

  Buffer<int64_t> blocks(Ints{100 * r, 100 * r + 1, 100 * r + 2, 100 * r + 3}), exchanged(kRanks);
  CHECK(ncclAlltoAll(blocks.at, exchanged.at, 1, kInt64, comm, nullptr) == 0);
  CHECK((exchanged.read() == Ints{r, 100 + r, 200 + r, 300 + r}));
  Buffer<int64_t> gathered(kRanks);
  CHECK(ncclGather(blocks.at, rank == 1 ? gathered.at : nullptr, 1, kInt64, 1, comm, nullptr) == 0);
  CHECK((gathered.read() == (rank == 1 ? Ints{0, 100, 200, 300} : Ints{77, 77, 77, 77})));
  Buffer<int64_t> part(1);
  CHECK(ncclScatter(rank == 1 ? blocks.at : nullptr, part.at, 1, kInt64, 1, comm, nullptr) == 0);
  CHECK((part.read() == Ints{100 + r}));
}

template <typename T>
void check_reductions(void* comm, int rank, int type) {
  Buffer<T> mine(std::vector<T>{T(rank + 1), T(2)}), result(2);
  const int expected[][2] = {{10, 8}, {24, 16}, {4, 2}, {1, 2}};
  for (int op = kSum; op <= kMin; ++op) {
    CHECK(ncclAllReduce(mine.at, result.at, 2, type, op, comm, nullptr) == 0);
    CHECK((result.read() == std::vector<T>{T(expected[op][0]), T(expected[op][1])}));
  }
  CHECK(ncclAllReduce(mine.at, result.at, 2, type, kAvg, comm, nullptr) == 0);
  CHECK((result.read() == std::vector<T>{T(2.5), T(2)}));
}

// Half, bfloat16 and fp8 encodings of 1, 2, 3, 4, 10 and 2.5.
struct Narrow {
  int type;
  int bytes;
  uint16_t one, two, three, four, ten, average;
};

template <typename Bits>
void check_narrow(void* comm, int rank, const Narrow& f) {
  const uint16_t values[] = {f.one, f.two, f.three, f.four};
  Buffer<Bits> mine(std::vector<Bits>{static_cast<Bits>(values[rank])}), result(1);
  CHECK(ncclAllReduce(mine.at, result.at, 1, f.type, kSum, comm, nullptr) == 0);
  CHECK(result.read()[0] == static_cast<Bits>(f.ten));
  CHECK(ncclAllReduce(mine.at, result.at, 1, f.type, kAvg, comm, nullptr) == 0);
  CHECK(result.read()[0] == static_cast<Bits>(f.average));
  CHECK(ncclAllReduce(mine.at, result.at, 1, f.type, kMax, comm, nullptr) == 0);
  CHECK(result.read()[0] == static_cast<Bits>(f.four));
}

void check_rooted_and_scattered(void* comm, int rank) {
  Buffer<float> mine(std::vector<float>{1, 2, 3, float(rank)}), result(4), part(1);
  CHECK(ncclReduce(mine.at, rank == 0 ? result.at : nullptr, 4, kFloat32, kSum, 0, comm, nullptr) == 0);
  if (rank == 0) CHECK((result.read() == std::vector<float>{4, 8, 12, 6}));
  CHECK(ncclReduceScatter(mine.at, part.at, 1, kFloat32, kSum, comm, nullptr) == 0);
  const float expected[] = {4, 8, 12, 6};
  CHECK(part.read()[0] == expected[rank]);
}

void check_scaled_sum(void* comm, int rank) {
  float half = 0.5f;
  int op = 0;
  Buffer<float> mine(std::vector<float>{float(rank + 1)}), result(1), scalar(std::vector<float>{2.f});
  CHECK(ncclRedOpCreatePreMulSum(&op, &half, kFloat32, 1, comm) == 0);
  CHECK(op >= 5);
  CHECK(ncclAllReduce(mine.at, result.at, 1, kFloat32, op, comm, nullptr) == 0);
  CHECK(result.read()[0] == 5.f);
  CHECK(ncclAllReduce(mine.at, result.at, 1, kFloat64, op, comm, nullptr) == kInvalidArgument);
  CHECK(ncclRedOpDestroy(op, comm) == 0);
  CHECK(ncclRedOpDestroy(op, comm) == kInvalidArgument);
  CHECK(ncclRedOpCreatePreMulSum(&op, scalar.at, kFloat32, 0, comm) == 0);
  CHECK(ncclAllReduce(mine.at, result.at, 1, kFloat32, op, comm, nullptr) == 0);
  CHECK(result.read()[0] == 20.f);
  CHECK(ncclRedOpDestroy(op, comm) == 0);
}

void check_send_and_receive(void* comm, int rank) {
  int next = (rank + 1) % kRanks, previous = (rank + kRanks - 1) % kRanks;
  Buffer<int64_t> mine(Ints{rank}), theirs(1);
  // Receive before send: a group starts them together.
  CHECK(ncclGroupStart() == 0);
  CHECK(ncclRecv(theirs.at, 1, kInt64, previous, comm, nullptr) == 0);
  CHECK(ncclSend(mine.at, 1, kInt64, next, comm, nullptr) == 0);
  CHECK(ncclGroupEnd() == 0);
  CHECK(theirs.read() == Ints{previous});
  // Many letters on the way at once keep their order.
  if (rank == 0) {
    for (int64_t i = 0; i < 300; ++i) {
      Buffer<int64_t> number(Ints{i});
      CHECK(ncclSend(number.at, 1, kInt64, 1, comm, nullptr) == 0);
    }
  } else if (rank == 1) {
    for (int64_t i = 0; i < 300; ++i) {
      CHECK(ncclRecv(theirs.at, 1, kInt64, 0, comm, nullptr) == 0);
      CHECK(theirs.read() == Ints{i});
    }
  }
}

void check_unknown_spreads(void* comm, int rank) {
  // Larger than what is performed: its result is unknown, and so is what is made of it.
  constexpr size_t kLarge = 200 * 1024;
  Buffer<float> large(std::vector<float>(kLarge, 1.f)), small(std::vector<float>{3.f}), result(1);
  CHECK(ncclAllReduce(large.at, large.at, kLarge, kFloat32, kSum, comm, nullptr) == 0);
  const void* input = rank == 2 ? large.at : small.at;
  CHECK(ncclAllReduce(input, result.at, 1, kFloat32, kSum, comm, nullptr) == 0);
  CHECK(result.read()[0] == 0.f);
  CHECK(ncclAllReduce(small.at, result.at, 1, kFloat32, kSum, comm, nullptr) == 0);
  CHECK(result.read()[0] == 12.f);
}

void check_letters_are_reclaimed(void* comm, int rank) {
  // 64 MiB through one channel, most of it from a root that never waits for anybody.
  constexpr size_t kCount = 32 * 1024;
  Buffer<int64_t> buffer(kCount);
  for (int64_t i = 0; i < 256; ++i) {
    if (rank == 0) {
      std::vector<int64_t> values(kCount, i);
      CHECK(cudaMemcpy(buffer.at, values.data(), kCount * 8, kHostToDevice) == 0);
    }
    CHECK(ncclBroadcast(buffer.at, buffer.at, kCount, kInt64, 0, comm, nullptr) == 0);
    if (i % 50 == 49) CHECK(buffer.read()[kCount - 1] == i);
  }
}

void body(Meeting& meeting, int rank) {
  void* comm = join(meeting.ids[0], kRanks, rank);
  int count = 0, device = -1, user_rank = -1, error = -1;
  CHECK(ncclCommCount(comm, &count) == 0 && count == kRanks);
  CHECK(ncclCommCuDevice(comm, &device) == 0 && device == rank);
  CHECK(ncclCommUserRank(comm, &user_rank) == 0 && user_rank == rank);
  CHECK(ncclCommGetAsyncError(comm, &error) == 0 && error == 0);
  check_moves(comm, rank);
  check_reductions<int8_t>(comm, rank, kInt8);
  check_reductions<uint8_t>(comm, rank, kUint8);
  check_reductions<int32_t>(comm, rank, kInt32);
  check_reductions<uint32_t>(comm, rank, kUint32);
  check_reductions<int64_t>(comm, rank, kInt64);
  check_reductions<uint64_t>(comm, rank, kUint64);
  check_reductions<float>(comm, rank, kFloat32);
  check_reductions<double>(comm, rank, kFloat64);
  check_narrow<uint16_t>(comm, rank, {kFloat16, 2, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4900, 0x4100});
  check_narrow<uint16_t>(comm, rank, {kBfloat16, 2, 0x3f80, 0x4000, 0x4040, 0x4080, 0x4120, 0x4020});
  check_narrow<uint8_t>(comm, rank, {kE4m3, 1, 0x38, 0x40, 0x44, 0x48, 0x52, 0x42});
  check_narrow<uint8_t>(comm, rank, {kE5m2, 1, 0x3c, 0x40, 0x42, 0x44, 0x49, 0x41});
  check_rooted_and_scattered(comm, rank);
  check_scaled_sum(comm, rank);
  check_send_and_receive(comm, rank);
  check_unknown_spreads(comm, rank);
  check_letters_are_reclaimed(comm, rank);
  CHECK(ncclCommFinalize(comm) == 0);
  CHECK(ncclCommDestroy(comm) == 0);
  CHECK(ncclCommDestroy(comm) == kInvalidArgument);
}

}  // namespace

int main() {
  return run_ranks(kRanks, body);
}
