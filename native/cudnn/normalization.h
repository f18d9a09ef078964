// Batch normalisation as its two legacy families of functions share it.
#pragma once

#include "descriptor.h"
#include "problem.h"

namespace maya::cudnn {

struct NormCall {
  const char* function;
  int training;
  int persistent;
  int fused;  // 0 normalise, 1 and activate, 2 and add and activate
  void* x_desc;
  void* y_desc;
  void* scale_desc;
  size_t workspace;
  size_t reserve;
};

int normalize(Schema& schema, void* handle, const NormCall& call);

// Partial sums of each multiprocessor, needed only where channels lie last.
int norm_workspace(void* handle, void* x_desc, size_t* bytes);
// One bit per element of a fused activation.
int norm_reserve(void* handle, int fused, void* x_desc, size_t* bytes);

}  // namespace maya::cudnn
