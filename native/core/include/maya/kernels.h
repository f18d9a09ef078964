// Kernels known to this process: registered by programs, loaded from modules; and their launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "maya/fatbin.h"
#include "maya/record.h"
#include "maya/stream.h"

namespace maya {

struct Module;

struct Function {
  const char* name = nullptr;  // mangled
  Module* module = nullptr;
  const KernelFacts* facts = nullptr;  // null until resolved, or when the module has no image for the device
  bool resolved = false;
  int64_t name_id = 0;
  int64_t family_id = 0;
  int64_t code_id = 0;         // its PTX in the capture; 0 where none is known
  int max_dynamic_shared = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize
  int carveout = -1;
  int cluster[3] = {0, 0, 0};
  bool non_portable_cluster = false;
  void* recipe = nullptr;  // how to treat its arguments; made at the first launch, never freed
};

// A module loaded from an image (fat binary, cubin or PTX). The image must outlive the module unless `copy`.
MAYA_EXPORT Module* load_module(const void* image, size_t bytes_or_zero, bool copy, std::string* error);
MAYA_EXPORT bool unload_module(void* handle);
// A CUmodule ends with the context it was loaded in; a CUlibrary belongs to none.
MAYA_EXPORT void bind_to_context(Module& module);
void release_context_modules(int device, uint64_t context);
MAYA_EXPORT Module* find_module(void* handle);
// Parsed on first use; null with a reason when the image has nothing for this device.
MAYA_EXPORT const ModuleFacts* module_facts(Module& module);
MAYA_EXPORT Function* module_function(Module& module, const char* name);
// Address and size of a module's global variable (device memory made on first use).
MAYA_EXPORT bool module_global(Module& module, const char* name, void** address, size_t* bytes);

// cudart's registration hooks: cheap, since a framework registers a hundred thousand kernels at load time.
MAYA_EXPORT Module* register_fat_binary(const void* wrapper);
MAYA_EXPORT void register_function(Module* module, const void* host_function, const char* name);
MAYA_EXPORT void register_variable(Module* module, const void* host_variable, const char* name, size_t bytes,
                                   bool managed);
MAYA_EXPORT Function* registered_function(const void* host_function);
MAYA_EXPORT bool registered_variable(const void* host_variable, void** address, size_t* bytes);
// A handle the driver API hands out (CUfunction, CUkernel) -> Function; null when unknown.
MAYA_EXPORT Function* find_function(void* handle);

// Facts with the device's own limits applied; resolves the module. Null: no image for this device.
MAYA_EXPORT const KernelFacts* facts_of(Function& function);

struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  unsigned cluster[3] = {0, 0, 0};
  unsigned attributes = 0;  // bit 0 cooperative, bit 1 programmatic stream serialisation, bit 2 priority
};

enum class LaunchResult { ok, invalid_function, no_image, invalid_configuration, too_many_resources };

// `arguments[i]` points at the i-th parameter's value; or `packed` holds the whole parameter buffer.
MAYA_EXPORT LaunchResult launch(Function& function, const LaunchShape& shape, void** arguments,
                                Stream& stream);
MAYA_EXPORT LaunchResult launch_packed(Function& function, const LaunchShape& shape, const void* packed,
                                       size_t bytes, Stream& stream);

// cudaOccupancyMaxActiveBlocksPerMultiprocessor.
MAYA_EXPORT int max_active_blocks(Function& function, int block_threads, size_t dynamic_shared);

}  // namespace maya
