// PyTorch's operators on each thread, while somebody listens: PyTorch pushes an NVTX range for each, with the
// sizes of its inputs. They are no ranges of the program's and are not recorded as such.
#pragma once

#include <cstddef>
#include <string>

#include "maya/record.h"

namespace maya {

// Whether the range was an operator's, or that of the pop; then nothing is left to do for it.
bool begin_operator(const char* text);
bool end_operator();

struct OperatorStack {
  std::string lines;  // `name sizes`, the outermost first
  size_t shared = 0;  // of these, how many enclose the work that was asked about before, too
};
// Those that this thread is in.
OperatorStack operators_of_thread();

}  // namespace maya

extern "C" {
// Called from inside the program, which has PyTorch push its operators from then on, or no longer.
MAYA_EXPORT void maya_listen_for_operators(int listen);
}
