// Kernels: their attributes and parameters. CUkernel and CUfunction are the same object here.
#include <algorithm>

#include "maya/kernels.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// PTX has no register allocation yet; the driver's compiler would make one. A common size stands for it.
constexpr int kRegistersOfPtx = 32;

int require_function(void* handle, Function** function) {
  if (int status = require_driver()) return status;
  *function = find_function(handle);
  return *function ? kSuccess : kInvalidHandle;
}

// What the binary says of a kernel.
bool read_fact(const KernelFacts& facts, int attribute, int* value) {
  switch (attribute) {
    case kMaxThreadsPerBlock:
      return *value = facts.max_threads, true;
    case kSharedBytes:
      return *value = facts.static_shared, true;
    case kConstantBytes:
      return *value = facts.constant, true;
    case kLocalBytes:
      return *value = facts.local, true;
    case kRegisters:
      return *value = facts.registers > 0 ? facts.registers : kRegistersOfPtx, true;
    case kPtxVersion:
    case kBinaryVersion:
      return *value = facts.sm ? facts.sm : device_model().sm(), true;
    default:
      return false;
  }
}

int max_dynamic_shared(const Function& function, const KernelFacts& facts) {
  const int usual = device_model().shared_per_block - facts.static_shared;
  const int chosen = function.max_dynamic_shared > 0 ? function.max_dynamic_shared : usual;
  return std::min(chosen, device_model().shared_per_block_optin);
}

int cluster_side(const Function& function, const KernelFacts& facts, int axis) {
  return function.cluster[axis] ? function.cluster[axis] : facts.cluster[axis];
}

// What the program may have set.
bool read_setting(const Function& function, const KernelFacts& facts, int attribute, int* value) {
  switch (attribute) {
    case kMaxDynamicShared:
      return *value = max_dynamic_shared(function, facts), true;
    case kSharedCarveout:
      return *value = function.carveout, true;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
      return *value = cluster_side(function, facts, attribute - kClusterWidth), true;
    case kNonPortableCluster:
      return *value = function.non_portable_cluster, true;
    case kCacheModeCa:
    case kClusterSizeMustBeSet:
    case kClusterSchedulingPolicy:
      return *value = 0, true;
    default:
      return false;
  }
}

int get_attribute(const Function& function, const KernelFacts& facts, int attribute, int* value) {
  bool known = read_fact(facts, attribute, value) || read_setting(function, facts, attribute, value);
  return known ? kSuccess : kInvalidValue;
}

int set_attribute(Function& function, const KernelFacts& facts, int attribute, int value) {
  switch (attribute) {
    case kMaxDynamicShared:
      if (value < 0 || value + facts.static_shared > device_model().shared_per_block_optin)
        return kInvalidValue;
      function.max_dynamic_shared = value;
      return kSuccess;
    case kSharedCarveout:
      if (value < -1 || value > 100) return kInvalidValue;
      function.carveout = value;
      return kSuccess;
    case kClusterWidth:
    case kClusterHeight:
    case kClusterDepth:
      if (value < 0) return kInvalidValue;
      function.cluster[attribute - kClusterWidth] = value;
      return kSuccess;
    case kNonPortableCluster:
      function.non_portable_cluster = value != 0;
      return kSuccess;
    case kClusterSchedulingPolicy:
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

}  // namespace

extern "C" {

int cuFuncGetAttribute(int* value, int attribute, void* handle) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  const KernelFacts* facts = facts_of(*function);
  if (!facts) return kNoBinaryForGpu;
  return value ? get_attribute(*function, *facts, attribute, value) : kInvalidValue;
}

int cuKernelGetAttribute(int* value, int attribute, void* kernel, int device) {
  if (int status = require_device(device)) return status;
  return cuFuncGetAttribute(value, attribute, kernel);
}

int cuFuncSetAttribute(void* handle, int attribute, int value) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  const KernelFacts* facts = facts_of(*function);
  return facts ? set_attribute(*function, *facts, attribute, value) : kNoBinaryForGpu;
}

int cuKernelSetAttribute(int attribute, int value, void* kernel, int device) {
  if (int status = require_device(device)) return status;
  return cuFuncSetAttribute(kernel, attribute, value);
}

int cuFuncGetName(const char** name, void* handle) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  if (!name) return kInvalidValue;
  *name = function->name;
  return kSuccess;
}

int cuKernelGetName(const char** name, void* kernel) {
  return cuFuncGetName(name, kernel);
}

int cuFuncGetModule(void** module, void* handle) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  if (!module) return kInvalidValue;
  *module = function->module;
  return kSuccess;
}

int cuKernelGetLibrary(void** library, void* kernel) {
  return cuFuncGetModule(library, kernel);
}

int cuKernelGetFunction(void** function, void* kernel) {
  Function* found = nullptr;
  if (int status = require_context()) return status;
  if (int status = require_function(kernel, &found)) return status;
  if (!function) return kInvalidValue;
  *function = found;
  return kSuccess;
}

int cuFuncGetParamInfo(void* handle, size_t index, size_t* offset, size_t* bytes) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  const KernelFacts* facts = facts_of(*function);
  if (!facts || !offset || index >= facts->params.size()) return kInvalidValue;
  *offset = facts->params[index].offset;
  if (bytes) *bytes = facts->params[index].size;
  return kSuccess;
}

int cuKernelGetParamInfo(void* kernel, size_t index, size_t* offset, size_t* bytes) {
  return cuFuncGetParamInfo(kernel, index, offset, bytes);
}

int cuFuncGetParamCount(void* handle, size_t* count) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  const KernelFacts* facts = facts_of(*function);
  if (!facts || !count) return kInvalidValue;
  *count = facts->params.size();
  return kSuccess;
}

int cuKernelGetParamCount(void* kernel, size_t* count) {
  return cuFuncGetParamCount(kernel, count);
}

int cuFuncSetCacheConfig(void* handle, int) {
  Function* function = nullptr;
  return require_function(handle, &function);
}

int cuKernelSetCacheConfig(void* kernel, int config, int) {
  return cuFuncSetCacheConfig(kernel, config);
}
int cuFuncSetSharedMemConfig(void* handle, int config) {
  return cuFuncSetCacheConfig(handle, config);
}
int cuFuncLoad(void* handle) {
  return cuFuncSetCacheConfig(handle, 0);
}

int cuFuncIsLoaded(int* state, void* handle) {
  Function* function = nullptr;
  if (int status = require_function(handle, &function)) return status;
  if (!state) return kInvalidValue;
  *state = 1;
  return kSuccess;
}

}  // extern "C"
