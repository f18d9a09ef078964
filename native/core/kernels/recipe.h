// How to read a kernel's parameters: which pointers it writes through, and what of them to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/floats.h"
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

// Where the parts of PyTorch's metadata of a multi-tensor launch stand: addresses[depth][most], element
// counts[most], scalars or further addresses, then the maps of blocks to tensors and to chunks.
struct TensorListForm {
  size_t depth = 0;  // 0: not PyTorch's, or of a later version
  size_t most = 0;
  size_t extra_bytes = 0;
};

struct Recipe {
  std::vector<Access> parameters;
  bool multi_tensor = false;  // TensorListMetadata: keep a digest, not 4 KB of addresses
  TensorListForm list;
  Update update = Update::none;
  Trivial trivial = Trivial::no;
  FloatKernel floats;
  Remains remains = Remains::none;
  Product product = Product::none;
};

// Never null; made once per kernel.
const Recipe* make_recipe(const char* mangled, const KernelFacts& facts);

// What a multi-tensor launch works on, from its by-value metadata.
struct TensorListDigest {
  uint64_t elements;
  uint64_t tensors;
};
// A list of unknown form is read as the first form in which it makes sense.
bool digest_tensor_list(const TensorListForm& form, const char* metadata, size_t bytes, unsigned blocks,
                        uint64_t chunk, TensorListDigest* digest);

}  // namespace maya
