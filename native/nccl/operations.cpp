// Reduction operations that the program makes.
#include <cstring>

#include "support.h"

using namespace maya::nccl;

extern "C" {

int ncclRedOpCreatePreMulSum(int* op, void* scalar, int datatype, int residence, void* comm) {
  maya::Call entered;
  int result = kSuccess;
  maya::CommunicatorRef found = usable(comm, "RedOpCreatePreMulSum", &result);
  if (!found) return result;
  if (!op || !scalar || datatype < 0 || datatype >= kTypes || residence < kScalarOnDevice ||
      residence > kScalarOnHost) {
    return fail(kInvalidArgument, "RedOpCreatePreMulSum : invalid argument");
  }
  maya::ScaledSum made;
  made.alive = true;
  made.type = datatype;
  if (residence == kScalarOnDevice) made.device_scalar = scalar;
  if (residence == kScalarOnHost) std::memcpy(made.scalar, scalar, maya::element_bytes(datatype));
  size_t index = 0;
  auto& all = found->scaled_sums;
  while (index < all.size() && all[index].alive) ++index;
  if (index == all.size()) all.emplace_back();
  all[index] = made;
  *op = kBuiltInOps + static_cast<int>(index);
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclRedOpCreatePreMulSum);

int ncclRedOpDestroy(int op, void* comm) {
  int result = kSuccess;
  maya::CommunicatorRef found = usable(comm, "RedOpDestroy", &result);
  if (!found) return result;
  if (op >= 0 && op < kBuiltInOps)
    return fail(kInvalidArgument, "RedOpDestroy : operator %d is a NCCL builtin.", op);
  size_t index = static_cast<size_t>(op - kBuiltInOps);
  if (op < 0 || index >= found->scaled_sums.size() || !found->scaled_sums[index].alive) {
    return fail(kInvalidArgument, "RedOpDestroy : operator %d unknown to this communicator.", op);
  }
  found->scaled_sums[index].alive = false;
  return kSuccess;
}
MAYA_PROFILING_NAME(ncclRedOpDestroy);

}  // extern "C"
