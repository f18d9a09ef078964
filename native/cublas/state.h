// What a cuBLAS handle carries.
#pragma once

#include "constants.h"

namespace maya::cublas {

struct State {
  int math_mode = 0;
  int pointer_mode = kHostPointers;
  int atomics_mode = 0;
  int sm_count_target = 0;
  int emulation_strategy = 0;
  int special_values = 0;
  int mantissa_control = 0;
  int max_mantissa_bits = 0;
  int mantissa_bit_offset = 0;
  int* mantissa_bits = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  uint64_t own_workspace = 0;  // charge_library
};

enum Type : int { kContext };
enum Attribute : int { kState };

inline Handle* find(void* handle) {
  return mathlibs::find(handle, Library::cublas, kContext);
}

inline State state_of(const Handle& handle) {
  return get<State>(handle, kState);
}

}  // namespace maya::cublas
