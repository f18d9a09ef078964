// Where operands stand in a closure of TensorIterator's strided kernels.
#pragma once

#include <cstddef>

namespace maya {

// Where the operands' addresses stand in a functor of `bytes` that begins with an index table; 0 where it
// does not. The unused part of the table holds leftovers of the stack, which may look like addresses.
size_t operands_behind_table(const char* functor, size_t bytes);
// Where the result's address stands in a functor of gpu_index_kernel; 0 where it does not.
size_t indexed_result(const char* functor, size_t bytes);

}  // namespace maya
