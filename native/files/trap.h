// Changes that do not come through the C library's functions: safetensors, like much of Rust, asks the kernel
// itself. The kernel hands these calls back to us as a signal (seccomp), and we answer them from the layer.
#pragma once

#include <signal.h>

namespace maya::files {

// The signal's handler; every process needs its own.
void handle_direct_calls();
// From now on, in this process and all that it starts: once is enough. Needs PR_SET_NO_NEW_PRIVS.
bool trap_direct_calls();
// Whether the signal's handler is ours. It stays so: what the program wants to be done at this signal is kept
// here, and done where the signal is not from our filter.
bool handles_direct_calls();
void exchange_programs_action(const struct sigaction* wanted, struct sigaction* before);

}  // namespace maya::files
