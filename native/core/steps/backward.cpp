#include "steps/backward.h"

#include <pthread.h>

#include <cstring>

namespace maya {

GradientWatch& gradient_watch() {
  static GradientWatch* instance = new GradientWatch;
  return *instance;
}

// PyTorch names its backward threads "pt_autograd_<device>" (since 2.6; in older ones plain optimisers are
// not recognised).
bool on_backward_thread() {
  thread_local const bool answer = [] {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::strncmp(name, "pt_autograd", 11) == 0;
  }();
  return answer;
}

void device_written(uintptr_t address) {
  gradient_watch().written(address, on_backward_thread());
}

bool applies_gradient(const Operands& operands) {
  return gradient_watch().applies(operands, on_backward_thread());
}

}  // namespace maya
