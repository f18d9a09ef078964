#include "kernels/module.h"

#include <cstring>
#include <unordered_set>

#include "maya/context.h"
#include "maya/device.h"
#include "maya/memory.h"
#include "registry.h"

namespace maya {
namespace {

Registry<Module>& modules() {
  static auto* instance = new Registry<Module>;
  return *instance;
}

// Every Function object a program may hold, through either API.
struct FunctionHandles {
  std::mutex lock;
  std::unordered_set<const void*> alive;
};

FunctionHandles& function_handles() {
  static auto* instance = new FunctionHandles;
  return *instance;
}

size_t image_size(const void* image, size_t bytes_or_zero) {
  if (bytes_or_zero) return bytes_or_zero;
  const char* text = static_cast<const char*>(image);
  bool ptx = text[0] == '/' || text[0] == '.' || text[0] == '\n' || text[0] == ' ';
  return ptx ? std::strlen(text) + 1 : 0;
}

}  // namespace

Module* load_module(const void* image, size_t bytes_or_zero, bool copy, std::string* error) {
  auto module = std::make_unique<Module>();
  module->bytes = image_size(image, bytes_or_zero);
  if (copy && module->bytes) {
    const char* from = static_cast<const char*>(image);
    module->copy.assign(from, from + module->bytes);
    image = module->copy.data();
  }
  module->image = image;
  if (!module_facts(*module)) {
    if (error) *error = module->error;
    return nullptr;
  }
  return modules().add(std::move(module));
}

bool unload_module(void* handle) {
  std::unique_ptr<Module> module = modules().remove(handle);
  if (!module) return false;
  FunctionHandles& handles = function_handles();
  std::lock_guard<std::mutex> guard(handles.lock);
  for (const auto& entry : module->functions) handles.alive.erase(entry.second.get());
  return true;
}

void bind_to_context(Module& module) {
  module.device = current_device();
  module.context = owning_context(module.device);
}

void release_context_modules(int device, uint64_t context) {
  auto owned = [&](const Module& module) { return module.device == device && module.context == context; };
  for (Module* module : modules().select(owned)) unload_module(module);
}

void remember_function(const Function* function) {
  FunctionHandles& handles = function_handles();
  std::lock_guard<std::mutex> guard(handles.lock);
  handles.alive.insert(function);
}

Function* find_function(void* handle) {
  FunctionHandles& handles = function_handles();
  std::lock_guard<std::mutex> guard(handles.lock);
  return handles.alive.count(handle) ? static_cast<Function*>(handle) : nullptr;
}

Module* find_module(void* handle) {
  return modules().find(handle);
}

const ModuleFacts* module_facts(Module& module) {
  std::call_once(module.parse_once, [&module] {
    module.facts = parse_module(module.image, module.bytes, device_model().sm(), &module.error);
  });
  return module.facts.get();
}

Function* module_function(Module& module, const char* name) {
  const ModuleFacts* facts = module_facts(module);
  const KernelFacts* kernel = facts ? facts->kernel(name) : nullptr;
  if (!kernel) return nullptr;
  std::lock_guard<std::mutex> guard(module.lock);
  std::unique_ptr<Function>& entry = module.functions[name];
  if (!entry) {
    entry = std::make_unique<Function>();
    entry->name = kernel->name.c_str();
    entry->module = &module;
    remember_function(entry.get());
  }
  return entry.get();
}

bool module_global(Module& module, const char* name, void** address, size_t* bytes) {
  const ModuleFacts* facts = module_facts(module);
  const GlobalFacts* global = facts ? facts->global(name) : nullptr;
  if (!global) return false;
  std::lock_guard<std::mutex> guard(module.lock);
  auto& entry = module.globals[name];
  // A reset takes the memory away, and the variable gets new one when it is next asked for.
  Allocation found;
  if (entry.first && !find_allocation(entry.first, &found)) entry.first = nullptr;
  if (!entry.first) entry = {allocate(current_device(), global->size), global->size};
  *address = entry.first;
  *bytes = entry.second;
  return entry.first != nullptr;
}

}  // namespace maya
