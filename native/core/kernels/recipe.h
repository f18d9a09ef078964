// How to read a kernel's parameters: which pointers it writes through, and what of them to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/floats.h"
#include "kernels/layouts/tensor_list.h"
#include "kernels/product.h"
#include "kernels/remains.h"
#include "kernels/trivial.h"
#include "maya/fatbin.h"
#include "steps/work.h"

namespace maya {

enum class Access : uint8_t {
  writes,        // every pointer inside may be written through
  reads,         // const pointer
  writes_first,  // an array or functor of operands: the first is the result
  reduces,       // ReduceOp: source and results stand at its end, the rest may be uninitialised
  random,        // PhiloxCudaState: where a generator stands, which says nothing of the problem
};

// Where ReduceOp keeps the address it reads, counted from its end; the results follow.
constexpr size_t kReduceSource = 64;

struct Recipe {
  std::vector<Access> parameters;
  bool multi_tensor = false;  // TensorListMetadata: keep a digest, not 4 KB of addresses
  const layouts::TensorListLayout* list = nullptr;  // null: not understood
  const KernelParam* list_parameter = nullptr;
  Update update = Update::none;
  Trivial trivial = Trivial::no;
  FloatKernel floats;
  Remains remains = Remains::none;
  Product product = Product::none;
};

// Never null; made once per kernel.
const Recipe* make_recipe(const char* mangled, const KernelFacts& facts);

}  // namespace maya
