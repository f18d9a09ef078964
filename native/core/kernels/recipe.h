// How to read a kernel's parameters: which pointers it writes through, and what of them to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/family.h"
#include "kernels/layouts/structs.h"
#include "kernels/layouts/tensor_list.h"
#include "kernels/perform.h"
#include "kernels/product.h"
#include "kernels/unused_bytes.h"
#include "kernels/values/elementwise.h"
#include "kernels/values/reduction.h"
#include "maya/fatbin.h"
#include "steps/work.h"

namespace maya {

// Where ReduceOp keeps the address it reads, counted from its end; the results follow.
using layouts::kReduceSource;

struct Recipe {
  Family family;
  std::vector<Access> parameters;
  bool multi_tensor = false;  // TensorListMetadata: keep a digest, not 4 KB of addresses
  const layouts::TensorListLayout* list = nullptr;  // null: not understood
  const KernelParam* list_parameter = nullptr;
  Update update = Update::none;
  ElementwiseKernel elementwise;
  ReductionKernel reduction;
  UnusedBytes unused = UnusedBytes::none;
  bool makes_values = false;  // something is known of its results; of others nothing needs to be asked
};

// Never null; made once per kernel.
const Recipe* make_recipe(const char* mangled, const KernelFacts& facts);

}  // namespace maya
