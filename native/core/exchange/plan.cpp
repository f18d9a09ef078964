#include "plan.h"

#include "maya/values.h"

namespace maya {
namespace {

constexpr size_t kSmallBlock = 16 * 1024;
constexpr size_t kMostBlocks = 256 * 1024 * 1024;

bool scattered(Collective what) {
  return what == Collective::reduce_scatter || what == Collective::all_to_all || what == Collective::scatter;
}

bool one_block_per_member(Collective what) {
  return scattered(what) || what == Collective::all_gather || what == Collective::gather;
}

bool root_alone_gives(Collective what) {
  return what == Collective::broadcast || what == Collective::scatter;
}

bool root_alone_receives(Collective what) {
  return what == Collective::reduce || what == Collective::gather;
}

size_t members(const Operation& operation) {
  return static_cast<size_t>(operation.comm->nranks);
}
size_t block_bytes(const Operation& operation) {
  return operation.count * element_bytes(operation.type);
}

Plan plan_direct(const Operation& operation) {
  Plan plan;
  plan.direct = true;
  size_t bytes = block_bytes(operation);
  if (operation.what == Collective::send) {
    plan.input_bytes = bytes;
    plan.target = operation.root;
  } else {
    plan.output_bytes = plan.letter_bytes = plan.slice_bytes = bytes;
    plan.only_source = operation.root;
  }
  return plan;
}

}  // namespace

bool is_small(const Operation& operation) {
  size_t block = block_bytes(operation);
  size_t largest = block * (one_block_per_member(operation.what) ? members(operation) : 1);
  // Objects gathered from thousands of ranks are small each.
  return largest <= kSmallTransfer || (block <= kSmallBlock && largest <= kMostBlocks);
}

Plan make_plan(const Operation& operation) {
  Collective what = operation.what;
  if (what == Collective::send || what == Collective::recv) return plan_direct(operation);
  Plan plan;
  size_t block = block_bytes(operation);
  bool at_root = operation.comm->rank == operation.root;
  plan.letter_bytes = scattered(what) ? block * members(operation) : block;
  plan.slice_bytes = block;
  if (scattered(what)) plan.slice_offset = block * static_cast<size_t>(operation.comm->rank);
  plan.reduces =
      what == Collective::all_reduce || what == Collective::reduce || what == Collective::reduce_scatter;
  if (!root_alone_gives(what) || at_root) plan.input_bytes = plan.letter_bytes;
  if (root_alone_gives(what)) plan.only_source = operation.root;
  if (root_alone_receives(what)) plan.target = operation.root;
  if (!root_alone_receives(what) || at_root) {
    bool gathers =
        what == Collective::all_gather || what == Collective::all_to_all || what == Collective::gather;
    plan.output_bytes = gathers ? block * members(operation) : block;
  }
  return plan;
}

}  // namespace maya
