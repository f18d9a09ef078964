// The image handed out in place of compiled code.
#pragma once

#include <string>
#include <vector>

#include "source.h"

namespace maya::nvrtc {

struct Entry {
  std::string name;      // as the module is asked for it
  const Kernel* kernel;  // null where nothing is known but the name
};

// PTX text with one empty body an entry. `target` is "sm_90" or the like.
std::string make_image(const std::vector<Entry>& entries, const std::string& target);

}  // namespace maya::nvrtc
