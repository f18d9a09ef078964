// The PTX behind a kernel, as far as an image still holds it.
#pragma once

#include <string>
#include <string_view>

namespace maya::fatbin {

// ptxas keeps its input in this section of a cubin if asked for line information (Triton always asks),
// each line ended by a zero.
constexpr std::string_view kPtxSection = ".nv_debug_ptx_txt";

// Instructions, labels and declarations only: no comments, line numbers or debug sections. Empty where the
// text is longer than any single kernel's.
std::string ptx_code(std::string_view text);

}  // namespace maya::fatbin
