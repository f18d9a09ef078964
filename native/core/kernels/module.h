// A loaded image and what has been learnt of it so far.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "maya/kernels.h"

namespace maya {

struct Module {
  const void* image = nullptr;
  size_t bytes = 0;
  std::vector<char> copy;  // where the program may drop its own
  std::once_flag parse_once;
  std::shared_ptr<const ModuleFacts> facts;
  std::string error;
  int device = -1;  // of the context that it ends with; -1: none
  uint64_t context = 0;
  std::mutex lock;
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::map<std::string, std::pair<void*, size_t>> globals;
};

// Makes a Function known as a handle that programs may pass in.
void remember_function(const Function* function);

}  // namespace maya
