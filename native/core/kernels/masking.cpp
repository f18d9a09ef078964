#include "kernels/masking.h"

#include <cstdint>
#include <cstring>

#include "kernels/strided.h"
#include "known_values.h"
#include "maya/memory.h"
#include "maya/values.h"
#include "steps/backward.h"

namespace maya {
namespace {

// "MAYAPTR": stands for a device pointer in a parameter image.
constexpr uint64_t kPointerMarker = 0x4d41594150545200;
// Operands stand in arrays of at most this size; in larger structs what looks like an address may be a remain
// of the stack.
constexpr size_t kLargestOperandArray = 64;

// Whether the word at `offset` of a parameter is surely an address that the kernel reads through.
bool surely_read(Access access, size_t offset, size_t bytes) {
  if (access == Access::reduces) return offset + kReduceSource == bytes;
  return access != Access::writes && bytes <= kLargestOperandArray;
}

// Where the address of the result stands among the operands; 0 where nobody can tell.
size_t result_of(Access access, const char* at, size_t bytes) {
  if (access == Access::writes_first) return operands_behind_table(at, bytes);
  return access == Access::indexes ? indexed_result(at, bytes) : 0;
}

bool surely_written(Access access, size_t offset, size_t bytes, size_t result, bool is_first) {
  return access == Access::writes ||
         (access == Access::writes_first && (result ? offset == result : is_first)) ||
         (access == Access::indexes && (!result || offset == result)) ||
         (access == Access::reduces && offset + kReduceSource > bytes);
}

void mask_pointers(char* at, size_t bytes, Access access, bool forgets, Operands& operands, Reach& reach) {
  bool is_first = true;
  size_t result = result_of(access, at, bytes);
  for (size_t offset = 0; offset + 8 <= bytes; offset += 8) {
    uint64_t word;
    std::memcpy(&word, at + offset, 8);
    if (!is_device_address(word)) continue;
    if (surely_written(access, offset, bytes, result, is_first)) {
      if (forgets) known_values().forget_reachable(word);
      operands.writes(word);
    } else if (surely_read(access, offset, bytes)) {
      operands.reads(word);
    } else {
      operands.touches(word);
    }
    reach.add(word);
    is_first = false;
    std::memcpy(at + offset, &kPointerMarker, 8);
  }
}

// Unused slots of a list hold addresses of earlier launches, which this one does not write.
void forget_tensors(const layouts::TensorListLayout& layout, const char* list, size_t tensors, Reach& reach) {
  for (size_t depth = 0; depth < layouts::depth_of(layout); ++depth) {
    for (size_t i = 0; i < tensors; ++i) {
      uint64_t address;
      size_t slot = depth * layouts::most_tensors(layout) + i;
      std::memcpy(&address, list + layout.addresses.at + slot * sizeof address, sizeof address);
      if (!is_device_address(address)) continue;
      known_values().forget_reachable(address);
      reach.add(address);
    }
  }
}

}  // namespace

bool mask_parameters(const KernelFacts& facts, const Recipe& recipe, size_t tensors, bool forgets,
                     Image& image) {
  Operands operands;
  for (size_t i = 0; i < facts.params.size(); ++i) {
    const KernelParam& param = facts.params[i];
    if (param.offset % 8) continue;
    if (recipe.parameters[i] == Access::random) {
      std::memset(image.bytes + param.offset, 0, param.size);
      continue;
    }
    if (tensors && &param == recipe.list_parameter) {
      forget_tensors(*recipe.list, image.bytes + param.offset, tensors, image.reach);
      continue;
    }
    mask_pointers(image.bytes + param.offset, param.size, recipe.parameters[i], forgets, operands,
                  image.reach);
  }
  return !recipe.multi_tensor && applies_gradient(operands);
}

}  // namespace maya
