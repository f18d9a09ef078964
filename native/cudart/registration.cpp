// What compiled programs call before main: their kernels and variables introduce themselves.
#include "gen/cudart.h"
#include "maya/kernels.h"
#include "status.h"

using namespace maya;

namespace {

struct CallConfiguration {
  maya_abi_dim3 grid;
  maya_abi_dim3 block;
  size_t shared_bytes;
  void* stream;
};
// <<<...>>> pushes, the generated stub pops at once on the same thread.
thread_local CallConfiguration configuration;

Module* module_of(void** handle) {
  return reinterpret_cast<Module*>(handle);
}

}  // namespace

void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(register_fat_binary(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  register_function(module_of(handle), host_function, name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int, size_t bytes, int,
                       int) {
  register_variable(module_of(handle), host_variable, name, bytes, false);
}

void __cudaRegisterManagedVar(void** handle, void** host_variable, char*, const char* name, int, size_t bytes,
                              int, int) {
  register_variable(module_of(handle), host_variable, name, bytes, true);
}

unsigned int __cudaPushCallConfiguration(maya_abi_dim3 grid, maya_abi_dim3 block, size_t shared_bytes,
                                         void* stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}

int __cudaPopCallConfiguration(void* grid, void* block, size_t* shared_bytes, void* stream) {
  *static_cast<maya_abi_dim3*>(grid) = configuration.grid;
  *static_cast<maya_abi_dim3*>(block) = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<void**>(stream) = configuration.stream;
  return kSuccess;
}

int __cudaGetKernel(void** kernel, const void* host_function) {
  Function* function = registered_function(host_function);
  if (!function) return fail(kInvalidDeviceFunction);
  *kernel = function;
  return kSuccess;
}
