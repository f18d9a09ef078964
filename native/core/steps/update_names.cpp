#include "steps/update_names.h"

#include <cstring>
#include <initializer_list>

namespace maya {

Update update_by_name(const char* mangled) {
  for (const char* word : {"Adam", "adam", "SGD", "Sgd", "sgd_", "LAMB", "Lamb", "Lion", "Adagrad",
                           "optimizer", "Optimizer", "triton_for_fused"}) {
    if (std::strstr(mangled, word)) return Update::optimizer;
  }
  if (!std::strstr(mangled, "multi_tensor_apply")) return Update::none;
  // The same machinery copies, zeroes and measures lists of tensors, inside a step as well as at its end.
  for (const char* word : {"Copy", "Zero", "LpNorm", "NonFinite", "non_finite"}) {
    if (std::strstr(mangled, word)) return Update::none;
  }
  return Update::tensor_list;
}

}  // namespace maya
