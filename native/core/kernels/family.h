// The kernels that Maya knows by name: families.yaml, as far as the recorder needs it. A name is matched
// once, when the kernel is first launched; everybody else asks its family.
#pragma once

#include <cstdint>

#include "steps/work.h"

namespace maya {

// How a family's arguments are read.
enum class ArgumentReader : uint8_t {
  none,
  contiguous,         // count, functor, operands
  strided,            // elementwise_kernel(int, lambda{OffsetCalculator, operands, functor})
  reduction,          // reduce_kernel(ReduceOp{functor, config, two OffsetCalculators, addresses})
  concatenation,      // CatArrayBatchedCopy(out, lists of inputs, ...): gridDim.y of each list are used
  tensor_list,        // multi_tensor_apply_kernel: lists of tensors
  product,            // GemmUniversal with a problem of its own
  grouped_product,    // GemmUniversal with problems in device memory
  grouped_sizes,      // prepare_grouped_gemm_data: writes them there
  attention_lengths,  // prepare_varlen_num_blocks: reads how long each request's queries and keys are
};

// What a kernel does through the pointers of a parameter.
enum class Access : uint8_t {
  writes,        // every pointer inside may be written through
  reads,         // const pointer
  writes_first,  // an array or functor of operands: the first is the result
  indexes,       // gpu_index_kernel: a table of three operands' strides, then their addresses, result first
  reduces,       // ReduceOp: source and results stand at its end, the rest may be uninitialised
  first_parameter,  // of the whole kernel: it writes through its first parameter and no other
  random,           // PhiloxCudaState: where a generator stands, which says nothing of the problem
};

// What a family does to values that are known.
enum class ValueRule : uint8_t {
  none,                    // they are forgotten
  elementwise_contiguous,  // these four by how the operands are passed
  elementwise_unrolled,
  elementwise_strided,
  elementwise_casting,
  reduction,  // up to here `evaluate` carries it out, from here on `perform`
  concatenate,
  norms_of_list,
  route,
  histogram,
  begin_nonzero,
  count_nonzero,
  count_nonzero_of_few,
  list_nonzero,
};

struct Family {
  const char* name = "";
  ArgumentReader reader = ArgumentReader::none;
  Access access = Access::writes;
  ValueRule values = ValueRule::none;
  Update update = Update::none;
  const char* typed_by = "";  // behind this word of its name stands the type of its elements
};

// The first row that fits; a family without a name where none does.
const Family& family_of(const char* mangled);

// The mangled type that is the first template argument of the word that the family is typed by; "" where
// there is none.
const char* type_behind(const Family& family, const char* mangled);

// Whether a name bears witness of an optimiser, whoever wrote it and whatever family its kernel is of.
bool names_optimizer(const char* mangled);

}  // namespace maya
