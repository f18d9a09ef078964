// What becomes of the emulator when the process forks.
#pragma once

namespace maya {

// From the first call on, children that this process forks know that CUDA is not usable in them.
void watch_forks();

}  // namespace maya
