// What a cuFFT plan holds.
#pragma once

#include "mathlibs/data_types.h"
#include "mathlibs/support.h"

namespace maya::cufft {

enum Result : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kAllocFailed = 2,
  kInvalidType = 3,
  kInvalidValue = 4,
  kInternalError = 5,
  kExecFailed = 6,
  kSetupFailed = 7,
  kInvalidSize = 8,
};

enum Transform : int { kC2C = 0x29, kR2C = 0x2a, kC2R = 0x2c, kZ2Z = 0x69, kD2Z = 0x6a, kZ2D = 0x6c };

enum Direction : int { kForward = -1, kInverse = 1 };

constexpr int kMaxRank = 3;

// Strides and distances are zero where the data is contiguous (no embedding was given).
struct Plan {
  int rank = 0;  // 0: created but not yet made
  int input_type = 0;
  int output_type = 0;
  int execution_type = 0;
  int64_t n[kMaxRank] = {1, 1, 1};
  int64_t istride = 0, idist = 0, ostride = 0, odist = 0;
  int64_t batch = 1;
  size_t work_bytes = 0;
  int auto_allocate = 1;
  void* own_work_area = nullptr;
  int64_t property[3] = {};
};

enum Type : int { kPlan };
enum Attribute : int { kState };

// Sets the types that the old interface puts in one number; false for a number that is none.
bool set_types(Plan* plan, int transform);

// Is this a shape that cuFFT takes?
bool valid(const Plan& plan);

// Scratch memory that the transform needs.
size_t work_bytes(const Plan& plan);

inline Handle* find(int plan) {
  return mathlibs::find(reinterpret_cast<void*>(static_cast<intptr_t>(plan)), Library::cufft, kPlan);
}

}  // namespace maya::cufft
