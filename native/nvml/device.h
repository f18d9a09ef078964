// NVML's view: all GPUs of the node by their place, whatever CUDA_VISIBLE_DEVICES says.
#pragma once

#include <cstddef>
#include <string>

#include "constants.h"
#include "gen/nvml.h"
#include "maya/device.h"

namespace maya::nvml {

bool initialized();
unsigned gpu_count();

void* handle_of(unsigned index);
// kSuccess and the place of the GPU, or what to answer instead.
int find(void* device, unsigned* index);
// How CUDA calls this GPU in this process; -1 where it is not visible.
int cuda_device(unsigned index);

std::string uuid_text(unsigned index);
// As "00000000:1B:00.0".
std::string bus_id(unsigned index);
unsigned bus_number(unsigned index);

int copy_text(const std::string& text, char* to, unsigned length);

// The body of most getters.
template <typename T, typename Value>
int give(void* device, T* out, Value value) {
  unsigned index = 0;
  int result = find(device, &index);
  if (result != kSuccess) return result;
  if (!out) return kInvalidArgument;
  *out = static_cast<T>(value);
  return kSuccess;
}

}  // namespace maya::nvml
