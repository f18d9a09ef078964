// Kernel facts from PTX: names, parameters and launch bounds. Registers are not known before ptxas
// has run; parameters are laid out as ptxas would for the device.
#pragma once

#include "bytes.h"
#include "maya/fatbin.h"

namespace maya::fatbin {

bool parse_ptx(std::string_view text, int device_sm, ModuleFacts* module, std::string* error);

}  // namespace maya::fatbin
