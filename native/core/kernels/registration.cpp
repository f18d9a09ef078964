// Kernels and variables that a program's own start-up code registers with the runtime.
#include <mutex>
#include <unordered_map>

#include "kernels/module.h"
#include "maya/device.h"
#include "maya/memory.h"

namespace maya {
namespace {

struct Variable {
  Module* module;
  const char* name;
  size_t bytes;
  bool managed;
  void* address;
};

// Function objects are made when first asked for: a framework registers a hundred thousand and uses a few
// hundred.
struct Registered {
  Module* module;
  const char* name;
  Function* function;
};

struct Registrations {
  std::mutex lock;
  std::unordered_map<const void*, Registered> functions;
  std::unordered_map<const void*, Variable> variables;
};

Registrations& registrations() {
  static Registrations* instance = new Registrations;
  return *instance;
}

}  // namespace

Module* register_fat_binary(const void* wrapper) {
  auto* module = new Module;  // lives as long as the library that holds the image
  module->image = wrapper;
  return module;
}

void register_function(Module* module, const void* host_function, const char* name) {
  Registrations& all = registrations();
  std::lock_guard<std::mutex> guard(all.lock);
  if (all.functions.empty()) all.functions.reserve(1 << 16);
  all.functions[host_function] = {module, name, nullptr};
}

Function* registered_function(const void* host_function) {
  Registrations& all = registrations();
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.functions.find(host_function);
  if (found == all.functions.end()) return nullptr;
  Registered& entry = found->second;
  if (!entry.function) {
    entry.function = new Function;
    entry.function->name = entry.name;
    entry.function->module = entry.module;
    remember_function(entry.function);
  }
  return entry.function;
}

void register_variable(Module* module, const void* host_variable, const char* name, size_t bytes,
                       bool managed) {
  Registrations& all = registrations();
  std::lock_guard<std::mutex> guard(all.lock);
  all.variables[host_variable] = {module, name, bytes, managed, nullptr};
}

bool registered_variable(const void* host_variable, void** address, size_t* bytes) {
  Registrations& all = registrations();
  std::lock_guard<std::mutex> guard(all.lock);
  auto found = all.variables.find(host_variable);
  if (found == all.variables.end()) return false;
  Variable& variable = found->second;
  if (!variable.address) variable.address = allocate(current_device(), variable.bytes);
  *address = variable.address;
  *bytes = variable.bytes;
  return variable.address != nullptr;
}

const KernelFacts* facts_of(Function& function) {
  if (!function.resolved) {
    const ModuleFacts* facts = module_facts(*function.module);
    function.facts = facts ? facts->kernel(function.name) : nullptr;
    function.resolved = true;
  }
  return function.facts;
}

}  // namespace maya
