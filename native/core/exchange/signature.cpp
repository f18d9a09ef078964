#include "signature.h"

#include <algorithm>

namespace maya {
namespace {

constexpr int kTypeShift = 52;
constexpr int kRootShift = 36;
constexpr int kKindShift = 58;
constexpr uint64_t kCountMask = (uint64_t{1} << kRootShift) - 1;

const char* const kKinds[] = {"ncclAllReduce",     "ncclBroadcast", "ncclReduce", "ncclAllGather",
                              "ncclReduceScatter", "ncclAlltoAll",  "ncclGather", "ncclScatter",
                              "ncclSend",          "ncclRecv"};
const char* const kTypes[] = {"int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
                              "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};

bool direct(Collective what) {
  return what == Collective::send || what == Collective::recv;
}

bool rooted(Collective what) {
  return what == Collective::broadcast || what == Collective::reduce || what == Collective::gather ||
         what == Collective::scatter;
}

std::string sized(Collective what, uint64_t count, uint64_t type) {
  const char* kind = kKinds[std::min<size_t>(static_cast<size_t>(what), std::size(kKinds) - 1)];
  const char* name = type < std::size(kTypes) ? kTypes[type] : "elements";
  return std::string(kind) + " of " + std::to_string(count) + " " + name;
}

}  // namespace

uint64_t sign_operation(const Operation& operation) {
  Collective what = direct(operation.what) ? Collective::recv : operation.what;
  uint64_t root = rooted(what) ? static_cast<uint64_t>(operation.root) & 0xffff : 0;
  return static_cast<uint64_t>(what) << kKindShift | static_cast<uint64_t>(operation.type) << kTypeShift |
         root << kRootShift | (operation.count & kCountMask);
}

std::string describe_signature(uint64_t signature) {
  Collective what = static_cast<Collective>(signature >> kKindShift);
  std::string text = sized(what, signature & kCountMask, (signature >> kTypeShift) & 0x3f);
  if (rooted(what)) text += " with root " + std::to_string((signature >> kRootShift) & 0xffff);
  return text;
}

std::string describe_operation(const Operation& operation) {
  if (!direct(operation.what)) return describe_signature(sign_operation(operation));
  const auto& ranks = operation.comm->world_ranks;
  size_t peer = static_cast<size_t>(operation.root);
  int rank = peer < ranks.size() ? ranks[peer] : operation.root;
  const char* way = operation.what == Collective::send ? " to rank " : " from rank ";
  return sized(operation.what, operation.count, static_cast<uint64_t>(operation.type)) + way +
         std::to_string(rank);
}

}  // namespace maya
