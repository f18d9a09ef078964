// Is the process behind a peer still there?
#pragma once

#include <cstdint>

namespace maya {

// When the process started, in clock ticks since boot: tells a process from a later one with the same id.
// 0 when there is no such process or it is a zombie.
uint64_t process_start(int pid);
// CPU time of a process in clock ticks; 0 when it is gone.
uint64_t process_cpu_ticks(int pid);
bool process_alive(int pid, uint64_t start);

}  // namespace maya
