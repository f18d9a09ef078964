// The attributes that ptxas leaves in .nv.info sections.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.h"
#include "maya/fatbin.h"

namespace maya::fatbin {

// .nv.info: attributes of all kernels. `kernel_of_symbol` has -1 for symbols that are no kernel.
void read_module_info(Bytes info, const std::vector<int32_t>& kernel_of_symbol,
                      std::vector<KernelFacts>* kernels);

// .nv.info.<kernel>
void read_kernel_info(Bytes info, KernelFacts* kernel);

}  // namespace maya::fatbin
