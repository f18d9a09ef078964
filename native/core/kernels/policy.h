// What the emulator made up because no kernel ran, and where the program saw it.
#pragma once

namespace maya {

// Records that a value was given by `policy`, with the Python line that is running.
void note_policy(const char* policy, const char* what);

}  // namespace maya
