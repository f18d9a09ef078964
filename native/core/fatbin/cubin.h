// Kernel facts from a cubin: an ELF file whose .nv.info sections describe the kernels.
#pragma once

#include "bytes.h"
#include "maya/fatbin.h"

namespace maya::fatbin {

bool parse_cubin(Bytes image, ModuleFacts* module, std::string* error);

}  // namespace maya::fatbin
