// Which of the node's GPUs this process may see.
#pragma once

#include <string>
#include <vector>

namespace maya {

// CUDA_VISIBLE_DEVICES: indices, or identifiers as NVML gives them (GPU-...), whole or abbreviated; the list
// ends at the first entry that is no device.
std::vector<int> visible_devices();
void physical_uuid(int physical, unsigned char uuid[16]);

}  // namespace maya
