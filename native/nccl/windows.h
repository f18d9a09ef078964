// Windows: buffers that peers may address.
#pragma once

#include <cstddef>

#include "maya/handles.h"

namespace maya::nccl {

enum HandleType : int { kRegistration = 1, kWindow };
enum WindowAttribute : int { kWindowFacts = 1 };

struct Window {
  void* comm;
  void* base;
  size_t size;
  size_t span;  // between the images of two peers
  void* peers;
  int rank;
  int nranks;
  int flags;
};

// Null when `window` is none.
Handle* find_window(void* window);

}  // namespace maya::nccl
