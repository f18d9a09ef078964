// The arithmetic of reductions, on host copies of small buffers.
#pragma once

#include <cstddef>

namespace maya {

// Numbers as NCCL's ncclDataType_t and ncclRedOp_t.
struct DataType {
  enum : int {
    int8,
    uint8,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    bfloat16,
    float8e4m3,
    float8e5m2
  };
};
struct ReduceOp {
  enum : int { sum, prod, max, min, avg };
};

// 0 for what is no type.
size_t type_bytes(int type);

// inputs[i] holds `count` elements; the result may be one of them.
void reduce(int type, int op, const char* const* inputs, size_t input_count, size_t count, char* result);
// Multiplies in place by the scalar of the same type.
void scale(int type, char* elements, size_t count, const char* scalar);

}  // namespace maya
