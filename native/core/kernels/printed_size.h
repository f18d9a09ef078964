// How long a mangled name becomes, before anybody prints it.
#pragma once

#include <optional>

namespace maya {

// At most so many letters are printed for a mangled name; nothing where it is not understood. Names repeat
// their parts by number, parts of parts too: 300 letters can stand for gigabytes.
std::optional<double> printed_size(const char* mangled);

}  // namespace maya
